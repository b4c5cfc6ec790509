-- The deletion of a team begins with its closing: no address of it answers any more, and what it owes to others (tokens
-- that providers gave are given back one by one) is met before its rows go.
ALTER TABLE teams
    -- When the grace period was over and the team was closed; its members still read its console.
    ADD COLUMN closed_at timestamptz;
UPDATE teams SET closed_at = deleted_at WHERE deleted_at IS NOT NULL;
