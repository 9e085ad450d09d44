"""Who may decide what runs: approvals, rules, scans."""
