# SPDX-License-Identifier: BSD-3-Clause
"""One module for each family of house rules: check(tree) returns its findings."""
