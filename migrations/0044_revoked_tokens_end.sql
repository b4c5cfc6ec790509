-- Refresh tokens that were revoked thirty days ago go: what is presented then is refused like one that never was. For each
-- person and group of apps the last of them stays, unless a live or newer one is there: by it the group is known to have
-- had to do with the person once their consent has ended.

-- Which were revoked, in that order. No index of the tokens speaks of their end, so that a session ends in place, in one
-- page.
CREATE TABLE revoked_tokens (
    revoked_at timestamptz NOT NULL,
    team_id text COLLATE "C" NOT NULL,
    token_id bytea NOT NULL,
    PRIMARY KEY (revoked_at, team_id, token_id)
);
SELECT pippin_wall('revoked_tokens');

CREATE FUNCTION pippin_token_revoked() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO revoked_tokens (revoked_at, team_id, token_id) VALUES (NEW.revoked_at, NEW.team_id, NEW.token_id);
    RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION pippin_token_revoked FROM PUBLIC;
CREATE TRIGGER token_revoked AFTER UPDATE OF revoked_at ON refresh_tokens
FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
EXECUTE FUNCTION pippin_token_revoked();

INSERT INTO revoked_tokens (revoked_at, team_id, token_id)
SELECT revoked_at, team_id, token_id FROM refresh_tokens WHERE revoked_at IS NOT NULL;

CREATE INDEX refresh_tokens_sub ON refresh_tokens (team_id, sub, app_id);
DROP INDEX refresh_tokens_person;

-- A batch is small and the tokens are many: they are looked up one by one, whatever is known of their number.
CREATE FUNCTION pippin_purge_refresh_tokens(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    WITH due AS (
        DELETE FROM revoked_tokens WHERE (revoked_at, team_id, token_id) IN (
            SELECT revoked_at, team_id, token_id FROM revoked_tokens
            WHERE revoked_at < now() - interval '30 days'
            ORDER BY revoked_at, team_id, token_id LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING team_id, token_id
    ), ended AS MATERIALIZED (
        SELECT token.* FROM due JOIN refresh_tokens AS token USING (team_id, token_id)
    ), newest AS MATERIALIZED (
        SELECT DISTINCT ON (team_id, sub, app_id) team_id, sub, app_id, revoked_at, token_id FROM ended
        WHERE trial_id IS NULL
        ORDER BY team_id, sub, app_id, revoked_at DESC, token_id DESC
    ), superseded AS MATERIALIZED (
        SELECT team_id, token_id FROM ended WHERE trial_id IS NOT NULL
        UNION ALL
        -- With what had stayed so far.
        SELECT team_id, token.token_id FROM newest JOIN refresh_tokens AS token USING (team_id, sub, app_id)
        WHERE token.trial_id IS NULL AND (token.revoked_at, token.token_id) < (newest.revoked_at, newest.token_id)
        UNION ALL
        SELECT team_id, token_id FROM newest
        WHERE EXISTS (
            SELECT FROM refresh_tokens AS other
            WHERE other.team_id = newest.team_id AND other.sub = newest.sub AND other.app_id = newest.app_id
                AND other.trial_id IS NULL AND (
                    other.revoked_at IS NULL
                    OR (other.revoked_at, other.token_id) > (newest.revoked_at, newest.token_id)
                )
        )
    ), held AS MATERIALIZED (
        -- Whoever holds another one removes it with its person.
        SELECT team_id, token_id FROM superseded JOIN refresh_tokens USING (team_id, token_id)
        FOR UPDATE OF refresh_tokens SKIP LOCKED
    ), purged AS (
        DELETE FROM refresh_tokens AS token USING held
        WHERE token.team_id = held.team_id AND token.token_id = held.token_id
    )
    SELECT count(*) FROM due
$$;
REVOKE EXECUTE ON FUNCTION pippin_purge_refresh_tokens FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_purge_refresh_tokens TO pippin_system;
