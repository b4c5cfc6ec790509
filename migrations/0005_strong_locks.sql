-- runs-with: 0001
-- needed: later

-- Whoever wants a table's strong lock waits for a long reader, such as a backup, and everybody else waits behind: half a second,
-- and the job is tried again at its next turn. Every function that servers call and that makes, drops or empties tables has this.
ALTER FUNCTION pippin_make_partitions() SET lock_timeout = '500ms';
ALTER FUNCTION pippin_keep_traces() SET lock_timeout = '500ms';
ALTER FUNCTION pippin_empty_time_partition(integer) SET lock_timeout = '500ms';

-- As it was, but for its own two seconds.
CREATE OR REPLACE FUNCTION pippin_drop_partitions() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' AS $$
DECLARE
    partition text;
    is_used boolean;
BEGIN
    FOR partition IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent IN ('audit_events'::regclass, 'audit_words'::regclass)
            AND right(c.relname, 6) < to_char(now() AT TIME ZONE 'UTC' - interval '1 day', 'YYYYMM')
    LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %I)', partition) INTO is_used;
        IF NOT is_used THEN EXECUTE format('DROP TABLE %I', partition); END IF;
    END LOOP;
END
$$;
