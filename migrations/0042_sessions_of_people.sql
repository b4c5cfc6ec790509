-- The live sessions of one person lie together: whoever ends them does not walk through those that ended before.
CREATE INDEX refresh_tokens_person ON refresh_tokens (team_id, sub, revoked_at, app_id);
DROP INDEX refresh_tokens_sub;
