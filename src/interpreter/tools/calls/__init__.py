"""Host calls: functions of the host that code in the cell calls by name."""
