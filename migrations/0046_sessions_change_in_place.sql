-- A session that ends is changed in place, in one page, while no index speaks of when it ended. Those that ended are
-- walked through for as long as they are kept.
CREATE INDEX refresh_tokens_sub ON refresh_tokens (team_id, sub, app_id);
DROP INDEX refresh_tokens_person;
