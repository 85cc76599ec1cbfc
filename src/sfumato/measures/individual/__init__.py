"""What a report tells about one record, whatever its reader knows of the others: selections, races and their checks."""
