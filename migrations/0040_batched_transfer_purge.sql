-- The window is over, and with it the people nobody asked for: a batch at a time, as everything else is removed.
DROP FUNCTION pippin_purge_transferred_people();
CREATE FUNCTION pippin_purge_transferred_people(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH purged AS (
        DELETE FROM transferred_people WHERE (team_id, transfer_sub, app_id) IN (
            SELECT team_id, transfer_sub, app_id FROM transferred_people WHERE expires_at <= now()
            ORDER BY expires_at LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;
REVOKE EXECUTE ON FUNCTION pippin_purge_transferred_people FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_purge_transferred_people TO pippin_system;
