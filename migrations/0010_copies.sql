-- runs-with: 0001
-- needed: now

-- Whether this database was restored beside the installation that it is a copy of (`pippin restore --as-copy`): from a copy no
-- mail, no notification and no call to a provider leaves. A restore of a backup of an older schema has made the table already.
CREATE TABLE IF NOT EXISTS copies (made_at timestamptz PRIMARY KEY DEFAULT now());
GRANT SELECT ON copies TO pippin_system;

-- As it was, but that it deletes no old counts: what many rows are deleted for must not keep partitions from being made.
CREATE OR REPLACE FUNCTION pippin_keep_traces() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' AS $$
DECLARE
    week bigint := extract(epoch FROM now())::bigint / 604800;
    bound text := pippin_trace_prefix(now() - interval '30 days');
    parent text;
    low text;
    high text;
    old text;
BEGIN
    FOREACH parent IN ARRAY ARRAY['traces', 'trace_events'] LOOP
        FOR number IN week .. week + 2 LOOP
            CONTINUE WHEN to_regclass(format('%s_%s', parent, number)) IS NOT NULL;
            low := pippin_trace_prefix(to_timestamp(number * 604800));
            high := pippin_trace_prefix(to_timestamp((number + 1) * 604800));
            EXECUTE format('DELETE FROM %s_other WHERE trace_id >= %L AND trace_id < %L', parent, low, high);
            EXECUTE format(
                'CREATE TABLE IF NOT EXISTS %s_%s PARTITION OF %s FOR VALUES FROM (%L) TO (%L)',
                parent, number, parent, low, high
            );
        END LOOP;
        FOR old IN
            SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = parent::regclass AND c.relname ~ '_[0-9]+$'
                AND to_timestamp((substring(c.relname FROM '[0-9]+$')::bigint + 1) * 604800) < now() - interval '30 days'
        LOOP
            EXECUTE format('DROP TABLE IF EXISTS %I', old);
        END LOOP;
        EXECUTE format('DELETE FROM %s_other WHERE trace_id < %L', parent, bound);
    END LOOP;
END
$$;

INSERT INTO retention (name, table_name, key_columns, expired, oldest_first) VALUES
    ('daily_counts', 'daily_counts', 'team_id, measure, day, subject', 'day + 400 < current_date', 'day + 400'),
    -- The token cannot be revoked any more, as of a deleted user's client that is gone at the provider. By the index of all
    -- problems, which are few: it is read as a whole, and only rows that are old enough are looked at.
    ('upstream_tokens.refused', 'upstream_tokens', 'team_id, token_id',
        $$problem IS NOT NULL AND state = 'refused' AND problem_at < now() - interval '90 days'$$,
        'team_id, problem_at DESC, token_id');
