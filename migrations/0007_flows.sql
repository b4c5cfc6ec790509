-- Flows: every sign-in kept step by step, for the team's inspector, and counts by the day for its overview.

-- An id begins with its moment: twelve hexadecimal digits of milliseconds. So ids sort by time, and a partition is a
-- range of them; a week each, since what is kept for thirty days would else be kept for sixty.
CREATE TABLE flows (
    team_id text COLLATE "C" NOT NULL,
    flow_id text COLLATE "C" NOT NULL CHECK (length(flow_id) = 28),
    -- As it was sent; it need not be registered.
    client_id text COLLATE "C",
    sub text COLLATE "C",
    outcome text COLLATE "C" NOT NULL CHECK (outcome IN ('open', 'cancelled', 'failed', 'answered')),
    cause text COLLATE "C",
    -- The request under which a page or the log names the failure.
    reference text COLLATE "C",
    is_trial boolean NOT NULL DEFAULT false,
    -- The first step, as JSON; it is never looked into here, so text is all that is asked for.
    opening text NOT NULL,
    PRIMARY KEY (team_id, flow_id)
) PARTITION BY RANGE (flow_id);
CREATE INDEX flows_client_id ON flows (team_id, client_id, flow_id);
CREATE INDEX flows_outcome ON flows (team_id, outcome, flow_id);
CREATE INDEX flows_cause ON flows (team_id, cause, flow_id) WHERE cause IS NOT NULL;
CREATE INDEX flows_sub ON flows (team_id, sub, flow_id) WHERE sub IS NOT NULL;
CREATE INDEX flows_reference ON flows (team_id, reference) WHERE reference IS NOT NULL;

-- The steps after the first. Rows of their own: adding one writes nothing anew, and the redemption of a code is one.
CREATE TABLE flow_steps (
    team_id text COLLATE "C" NOT NULL,
    flow_id text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    kind text COLLATE "C" NOT NULL,
    step text NOT NULL,
    PRIMARY KEY (team_id, flow_id, at, kind)
) PARTITION BY RANGE (flow_id);

-- The sign-in a code ends: its redemption is a step of it.
ALTER TABLE authorization_codes ADD COLUMN flow_id text COLLATE "C";

CREATE TABLE daily_counts (
    team_id text COLLATE "C" NOT NULL,
    measure text COLLATE "C" NOT NULL,
    day date NOT NULL,
    subject text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (team_id, measure, day, subject)
) WITH (fillfactor = 70);

SELECT pippin_wall('flows'), pippin_wall('flow_steps'), pippin_wall('daily_counts');
GRANT SELECT, INSERT, UPDATE, DELETE ON flows, flow_steps, daily_counts TO pippin_app;

-- A clock that is far off must not cost the flows of everybody else.
CREATE TABLE flows_other PARTITION OF flows DEFAULT;
CREATE TABLE flow_steps_other PARTITION OF flow_steps DEFAULT;

-- What the ids of that moment begin with.
CREATE FUNCTION pippin_flow_prefix(moment timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0');

-- Makes the partitions of this week and the next two, and drops those of which nothing is younger than thirty days.
-- Owned by the migrating role, since partitions know no teams. Called by the migration and by a running server.
CREATE FUNCTION pippin_keep_flows() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    week bigint := extract(epoch FROM now())::bigint / 604800;
    bound text := pippin_flow_prefix(now() - interval '30 days');
    parent text;
    low text;
    high text;
    old text;
BEGIN
    FOREACH parent IN ARRAY ARRAY['flows', 'flow_steps'] LOOP
        FOR number IN week .. week + 2 LOOP
            CONTINUE WHEN to_regclass(format('%s_%s', parent, number)) IS NOT NULL;
            low := pippin_flow_prefix(to_timestamp(number * 604800));
            high := pippin_flow_prefix(to_timestamp((number + 1) * 604800));
            EXECUTE format('DELETE FROM %s_other WHERE flow_id >= %L AND flow_id < %L', parent, low, high);
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
        EXECUTE format('DELETE FROM %s_other WHERE flow_id < %L', parent, bound);
    END LOOP;
    DELETE FROM daily_counts WHERE day < current_date - 400;
END
$$;
REVOKE EXECUTE ON FUNCTION pippin_keep_flows FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_keep_flows TO pippin_system;
SELECT pippin_keep_flows();
