"""What people read: tables and files made from a record; no statistic is computed here."""
