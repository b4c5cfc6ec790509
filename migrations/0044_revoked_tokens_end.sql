-- Refresh tokens that were revoked thirty days ago go: what is presented then is refused like one that never was. One of
-- them stays for each person and group of apps, the last: by it the group is known to have had to do with the person
-- once their consent has ended.

ALTER TABLE refresh_tokens ADD COLUMN is_kept boolean NOT NULL DEFAULT false;

-- Of what is still to be looked at, so that tokens that live have no part in it, and those that stay none for long.
CREATE INDEX refresh_tokens_revoked_at ON refresh_tokens (revoked_at) WHERE revoked_at IS NOT NULL AND NOT is_kept;

CREATE FUNCTION pippin_purge_refresh_tokens(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH due AS MATERIALIZED (
        SELECT team_id, token_id, sub, app_id, trial_id, revoked_at FROM refresh_tokens
        WHERE revoked_at IS NOT NULL AND NOT is_kept AND revoked_at < now() - interval '30 days'
        ORDER BY revoked_at LIMIT batch FOR UPDATE SKIP LOCKED
    ), last AS MATERIALIZED (
        SELECT team_id, token_id FROM due
        WHERE trial_id IS NULL AND NOT EXISTS (
            SELECT FROM refresh_tokens AS other
            WHERE other.team_id = due.team_id AND other.sub = due.sub AND other.revoked_at IS NULL
                AND other.app_id = due.app_id AND other.trial_id IS NULL
        ) AND NOT EXISTS (
            SELECT FROM refresh_tokens AS other
            WHERE other.team_id = due.team_id AND other.sub = due.sub AND other.revoked_at >= due.revoked_at
                AND (other.revoked_at, other.token_id) > (due.revoked_at, due.token_id)
                AND other.app_id = due.app_id AND other.trial_id IS NULL
        )
    ), kept AS (
        UPDATE refresh_tokens AS token SET is_kept = true
        FROM last WHERE token.team_id = last.team_id AND token.token_id = last.token_id
        RETURNING 1
    ), purged AS (
        DELETE FROM refresh_tokens AS token
        USING due WHERE token.team_id = due.team_id AND token.token_id = due.token_id AND NOT EXISTS (
            SELECT FROM last WHERE last.team_id = due.team_id AND last.token_id = due.token_id
        )
        RETURNING 1
    ), succeeded AS (
        -- The one that had stayed so far. Whoever holds it removes it with its person.
        DELETE FROM refresh_tokens WHERE (team_id, token_id) IN (
            SELECT token.team_id, token.token_id FROM due
            JOIN refresh_tokens AS token ON token.team_id = due.team_id AND token.sub = due.sub
                AND token.revoked_at <= due.revoked_at AND token.app_id = due.app_id AND token.is_kept
                AND (token.revoked_at, token.token_id) < (due.revoked_at, due.token_id)
            WHERE due.trial_id IS NULL
            FOR UPDATE OF token SKIP LOCKED
        )
    )
    SELECT (SELECT count(*) FROM kept) + (SELECT count(*) FROM purged)
$$;
REVOKE EXECUTE ON FUNCTION pippin_purge_refresh_tokens FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_purge_refresh_tokens TO pippin_system;
