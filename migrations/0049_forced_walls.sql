-- The walls hold for the owner of the tables as well, and for whoever ends up as the owner: a pooler that drops the role
-- from the beginning of a connection, a restored dump, a mistake of ours. Superusers and roles with BYPASSRLS alone pass.
SET LOCAL lock_timeout = '10s';

-- What the owner does for others and in migrations is done in full: functions that run with its rights, called under one
-- of the roles of the server, and sessions that say so. A session as the owner that says nothing sees no row.
CREATE FUNCTION pippin_owner_acts() RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN current_setting('role') <> 'none' OR coalesce(current_setting('pippin.owner', true), '') = 'on';

-- The owner is a member of pippin_app, so that its policies are asked for the owner as well, with no team set: by the
-- planner, too, which looks at stable functions before it knows whether they matter. For nobody but pippin_app is that a
-- mistake; to others no team is a team of nobody.
CREATE OR REPLACE FUNCTION pippin_no_team() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    IF current_user = 'pippin_app' THEN
        RAISE EXCEPTION 'no team is set for this transaction' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION pippin_force_wall(target regclass) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    rule text := format(
        'ON %s %%s TO %I USING (pippin_owner_acts()) WITH CHECK (pippin_owner_acts())',
        target, (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = target)
    );
BEGIN
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
    -- One lets the owner act; the other holds the owner where it has the policies of the roles it is a member of.
    EXECUTE format('CREATE POLICY owner ' || rule, 'AS PERMISSIVE');
    EXECUTE format('CREATE POLICY owner_held ' || rule, 'AS RESTRICTIVE');
END
$$;
REVOKE EXECUTE ON FUNCTION pippin_force_wall FROM PUBLIC;

-- Walls a table off: only the rows of the transaction's team can be seen or written.
CREATE OR REPLACE FUNCTION pippin_wall(target regclass) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
    EXECUTE format(
        'CREATE POLICY team ON %s TO pippin_app USING (team_id = pippin_team()) WITH CHECK (team_id = pippin_team())',
        target
    );
    PERFORM pippin_force_wall(target);
END
$$;

DO $$
DECLARE
    tenant regclass;
BEGIN
    FOR tenant IN
        SELECT oid::regclass FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relrowsecurity AND relkind IN ('r', 'p') ORDER BY oid
    LOOP
        PERFORM pippin_force_wall(tenant);
    END LOOP;
END
$$;
