-- When a notice that waits for its turn at a server of nobody's may go; NULL for one that has none to wait for.
ALTER TABLE notices ADD COLUMN turn_at timestamptz;
-- Those that wait are looked for by whom they are about, however many wait in the team.
CREATE INDEX notices_waiting ON notices (team_id, sub, app_id, type) WHERE state = 'pending';
