-- What other name servers answer is kept as far as a page shows it. What was kept beyond that goes, and is asked for again.
UPDATE email_sources SET records = '[]', checked_at = NULL, check_due_at = now()
WHERE octet_length(records::text) > 131072;
ALTER TABLE email_sources ADD CONSTRAINT email_sources_records_check CHECK (octet_length(records::text) <= 131072);
