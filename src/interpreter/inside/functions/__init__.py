"""What code calls: functions of the host, tools of servers, files and pages."""
