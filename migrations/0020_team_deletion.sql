-- The deletion of a team, carried out: its row is marked first, and from then on nobody reaches it; then its rows go, a
-- batch at a time. The row of the team stays, so that its id is never given out again, and so does its audit log.
ALTER TABLE teams
    -- When nothing of a deleted team was left.
    ADD COLUMN emptied_at timestamptz;
CREATE INDEX teams_leaving ON teams (team_id)
WHERE emptied_at IS NULL AND (deleted_at IS NOT NULL OR deletion_due_at IS NOT NULL);

-- The tables that a deleted team leaves, each before those its rows hang on, so that no deletion cascades far. Read from
-- the catalogue: a table that comes later is among them.
CREATE FUNCTION pippin_tenant_tables() RETURNS SETOF regclass
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
    WITH RECURSIVE tenants AS (
        SELECT c.oid FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
            AND a.attname = 'team_id' AND NOT a.attisdropped
            AND c.relname NOT IN (
                'teams', 'registry_versions', 'audit_events', 'audit_words', 'audit_unsealed', 'audit_seals',
                'audit_chains', 'audit_checkpoints'
            )
    ), paths AS (
        SELECT oid, 0 AS depth FROM tenants
        UNION ALL
        SELECT f.conrelid, p.depth + 1 FROM paths p
        JOIN pg_constraint f ON f.confrelid = p.oid AND f.contype = 'f' AND f.conrelid <> f.confrelid
    )
    SELECT oid::regclass FROM paths GROUP BY oid ORDER BY max(depth) DESC, oid
$$;

-- Removes up to `batch` rows of the team, which has to be a deleted one, and returns how many: none when nothing is left.
-- Owned by the migrating role, since of some tables nobody else may delete, and partitions are reached one by one.
CREATE FUNCTION pippin_empty_team(batch integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    team text := pippin_team();
    tenant regclass;
    leaf regclass;
    went bigint;
    removed bigint := 0;
BEGIN
    IF NOT EXISTS (SELECT FROM teams WHERE team_id = team AND deleted_at IS NOT NULL AND NOT is_system) THEN
        RAISE EXCEPTION 'team % is not deleted', team;
    END IF;
    FOR tenant IN SELECT * FROM pippin_tenant_tables() LOOP
        FOR leaf IN SELECT relid FROM pg_partition_tree(tenant) WHERE isleaf
            UNION ALL SELECT oid FROM pg_class WHERE oid = tenant AND relkind = 'r'
        LOOP
            EXECUTE format(
                'DELETE FROM %1$s WHERE ctid = ANY (ARRAY(SELECT ctid FROM %1$s WHERE team_id = $1 %2$s LIMIT $2))',
                -- App IDs that are grouped under another go before it.
                leaf, CASE leaf WHEN 'app_ids'::regclass THEN 'ORDER BY primary_identifier NULLS LAST' END
            ) USING team, batch - removed;
            GET DIAGNOSTICS went = ROW_COUNT;
            removed := removed + went;
            IF removed >= batch THEN RETURN removed; END IF;
        END LOOP;
    END LOOP;
    -- Its letters lie with the system team.
    DELETE FROM mailbox WHERE ctid = ANY (ARRAY(SELECT ctid FROM mailbox WHERE of_team = team LIMIT batch - removed));
    GET DIAGNOSTICS went = ROW_COUNT;
    RETURN removed + went;
END
$$;
REVOKE EXECUTE ON FUNCTION pippin_tenant_tables, pippin_empty_team FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_empty_team TO pippin_app;
