-- runs-with: 0001
-- needed: now

-- The walls of Pippin's own tables: row-level security, policies, and grants of the two roles, an entry each that begins with
-- its table. The first entry is PostgreSQL's major version, which decides how expressions are written. Tables without any of
-- these, such as a DBA's own, and partitions are left out.
CREATE FUNCTION pippin_shape() RETURNS text[]
    LANGUAGE sql STABLE SET search_path = pg_catalog
AS $$
    WITH own AS MATERIALIZED (
        SELECT oid, quote_ident(relname) AS name, relrowsecurity, relforcerowsecurity, relacl FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
            AND relowner = (SELECT relowner FROM pg_class WHERE oid = 'public.pippin_migrations'::regclass)
    ),
    entries (entry) AS (
        SELECT format('%s row security %s, forced %s', name, relrowsecurity, relforcerowsecurity)
        FROM own WHERE relrowsecurity OR relforcerowsecurity
        UNION ALL
        SELECT unnest(ARRAY[
            format(
                '%s policy %I %s for %s to %s', name, polname, polpermissive, polcmd,
                (SELECT string_agg(rolname, ', ' ORDER BY rolname) FROM pg_roles r WHERE r.oid = ANY (polroles))),
            format(
                '%s policy %I expressions: %s; %s', name, polname, pg_get_expr(polqual, polrelid),
                pg_get_expr(polwithcheck, polrelid))
        ])
        FROM own JOIN pg_policy ON polrelid = own.oid
        UNION ALL
        SELECT format('%s grant %s to %s', name, privilege_type, rolname)
        FROM own, aclexplode(relacl) JOIN pg_roles r ON r.oid = grantee
        WHERE rolname IN ('pippin_app', 'pippin_system')
        UNION ALL
        SELECT format('%s grant %s (%I) to %s', name, privilege_type, attname, rolname)
        FROM own JOIN pg_attribute ON attrelid = own.oid AND attacl IS NOT NULL, aclexplode(attacl)
            JOIN pg_roles r ON r.oid = grantee
        WHERE rolname IN ('pippin_app', 'pippin_system')
    )
    SELECT ARRAY['PostgreSQL ' || current_setting('server_version_num')::integer / 10000]
        || array_agg(entry ORDER BY entry COLLATE "C")
    FROM entries
$$;

DO $$
BEGIN
    IF to_regclass('pippin_migrations') IS NULL THEN
        RETURN;
    END IF;
    -- What the migration left of the walls; NULL for those before this one.
    ALTER TABLE pippin_migrations ADD COLUMN shape text[];
    GRANT SELECT (shape) ON pippin_migrations TO pippin_system;

    -- In the transaction of the migration, so that no server ever sees one without the other.
    CREATE FUNCTION pippin_keep_shape() RETURNS trigger
        LANGUAGE plpgsql SET search_path = public, pg_temp
    AS $function$
    BEGIN
        NEW.shape := pippin_shape();
        RETURN NEW;
    END
    $function$;
    CREATE TRIGGER keep_shape BEFORE INSERT ON pippin_migrations
        FOR EACH ROW EXECUTE FUNCTION pippin_keep_shape();

    -- What differs from the shape that the last migration left. Another policy or grant on a table of Pippin's is a fault; on
    -- any other table it is none. Expressions are compared under the major version with which they were noted.
    CREATE FUNCTION pippin_shape_faults() RETURNS SETOF text
        LANGUAGE sql STABLE SET search_path = pg_catalog
    AS $function$
        WITH kept AS (SELECT shape FROM public.pippin_migrations ORDER BY number DESC LIMIT 1),
            found AS (SELECT public.pippin_shape() AS shape),
            own AS (SELECT DISTINCT split_part(unnest(shape), ' ', 1) AS name FROM kept),
            faults (what, entry) AS (
                (SELECT 'missing', unnest(shape) FROM kept EXCEPT SELECT 'missing', unnest(shape) FROM found)
                UNION ALL
                (SELECT 'unexpected', unnest(shape) FROM found EXCEPT SELECT 'unexpected', unnest(shape) FROM kept)
            )
        SELECT what || ': ' || entry FROM faults
        WHERE entry NOT LIKE 'PostgreSQL %' AND split_part(entry, ' ', 1) IN (SELECT name FROM own)
            AND (entry NOT LIKE '% expressions: %' OR (SELECT shape[1] FROM kept) = (SELECT shape[1] FROM found))
        ORDER BY 1
    $function$;
END
$$;
