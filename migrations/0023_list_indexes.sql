-- Indexes of the console's lists that grow with the years and with the teams.

-- A sign-in that failed, a notice that was given up: what is looked for is rare, and there may be a million others.
CREATE INDEX notices_state ON notices (team_id, state, created_at DESC, notice_id);
CREATE INDEX notices_type ON notices (team_id, type, created_at DESC, notice_id);

-- Operators look across teams. Most jobs have succeeded, and those need no index to be found.
CREATE INDEX jobs_kind ON jobs (kind, created_at, job_id);
CREATE INDEX jobs_state ON jobs (state, created_at, job_id) WHERE state <> 'succeeded';
DROP INDEX jobs_dead;
CREATE INDEX teams_created_at ON teams (created_at DESC, team_id) WHERE NOT is_system;
CREATE INDEX teams_name ON teams ((lower(name) COLLATE "C")) WHERE NOT is_system;
CREATE INDEX mailbox_recipient ON mailbox (team_id, lower(recipient));

-- What was refused is a tenth of the log; of one action it may be nothing, and that is soon known.
CREATE INDEX audit_events_refused_action ON audit_events (team_id, action, at) WHERE outcome = 'refused';
