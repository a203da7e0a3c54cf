#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the Grafana dashboard: dashboard.py > heddle-grafana.json. What is drawn stands here in a
line each; the rest is what Grafana wants to see around it."""

import json
import sys

# Title, kind, unit, width of 24, [(query, legend)]
PANELS = [
    ("Well", "stat", "bool_yes_no", 4, [("min(heddle_well{instance=~\"$instance\"})", "")]),
    ("Master", "stat", "none", 5,
     [("heddle_sm_state{instance=~\"$instance\",state=\"master\"} == 1", "{{instance}}")]),
    ("Lost links between switches", "stat", "none", 5,
     [("sum(heddle_lost_links{instance=~\"$instance\",kind=\"switch\"})", "")]),
    ("Nodes", "stat", "none", 5,
     [("max by (type) (heddle_nodes{instance=~\"$instance\"})", "{{type}}")]),
    ("Links", "stat", "none", 5, [("max(heddle_links{instance=~\"$instance\"})", "")]),
    ("Ports by state, width and speed", "timeseries", "none", 12,
     [("max by (state, width, speed) (heddle_ports{instance=~\"$instance\"})",
       "{{state}} {{width}} {{speed}}")]),
    ("Lost links", "timeseries", "none", 12,
     [("heddle_lost_links{instance=~\"$instance\"}", "{{instance}} {{kind}}")]),
    ("Sweeps a minute", "timeseries", "none", 8,
     [("60 * rate(heddle_sweeps_total{instance=~\"$instance\"}[5m])", "{{instance}}")]),
    ("The last sweep took", "timeseries", "s", 8,
     [("heddle_last_sweep_phase_seconds{instance=~\"$instance\"}", "{{instance}} {{phase}}")]),
    ("SMPs of the last sweep", "timeseries", "none", 8,
     [("heddle_last_sweep_smps{instance=~\"$instance\"}", "{{instance}} {{kind}}")]),
    ("Events a minute", "timeseries", "none", 12,
     [("60 * rate(heddle_events_total{instance=~\"$instance\"}[5m]) > 0",
       "{{instance}} {{event}}")]),
    ("Problems, faulty routes", "timeseries", "none", 12,
     [("heddle_problems{instance=~\"$instance\"}", "{{instance}} problems"),
      ("heddle_routes_faulty{instance=~\"$instance\"}", "{{instance}} faulty routes")]),
    ("Multicast", "timeseries", "none", 12,
     [("heddle_multicast_groups{instance=~\"$instance\"}", "{{instance}} groups"),
      ("heddle_multicast_memberships{instance=~\"$instance\"}", "{{instance}} memberships")]),
    ("Highest LID", "timeseries", "none", 12,
     [("heddle_highest_lid{instance=~\"$instance\"}", "{{instance}}")]),
]
SOURCE = {"type": "prometheus", "uid": "${datasource}"}


def panels():
    x = y = row = 0
    for number, (title, kind, unit, width, queries) in enumerate(PANELS, 1):
        height = 4 if kind == "stat" else 8
        if x + width > 24:
            x, y = 0, y + row
        row = height
        yield {
            "id": number, "title": title, "type": kind, "datasource": SOURCE,
            "gridPos": {"x": x, "y": y, "w": width, "h": height},
            "fieldConfig": {"defaults": {"unit": unit}, "overrides": []},
            "targets": [{"refId": chr(ord("A") + i), "expr": query, "legendFormat": legend,
                         "datasource": SOURCE} for i, (query, legend) in enumerate(queries)],
        }
        x += width


def main():
    json.dump({
        "title": "Heddle", "uid": "heddle", "tags": ["infiniband"], "schemaVersion": 38,
        "version": 1, "editable": True, "timezone": "browser", "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": [
            {"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Data"},
            {"name": "instance", "type": "query", "datasource": SOURCE, "label": "Manager",
             "query": "label_values(heddle_info, instance)", "includeAll": True, "multi": True,
             "refresh": 2},
        ]},
        "panels": list(panels()),
    }, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
