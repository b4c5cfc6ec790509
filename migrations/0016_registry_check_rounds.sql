-- What is to be checked again is looked for across teams, by name and time alone.
CREATE INDEX domains_check_due_at ON domains (check_due_at);
CREATE INDEX email_sources_check_due_at ON email_sources (check_due_at);
CREATE POLICY every_team ON domains FOR SELECT TO pippin_system USING (true);
CREATE POLICY every_team ON email_sources FOR SELECT TO pippin_system USING (true);
GRANT SELECT (team_id, check_due_at) ON domains TO pippin_system;
GRANT SELECT (team_id, check_due_at) ON email_sources TO pippin_system;
