-- runs-with: 0001
-- needed: now

DO $$
BEGIN
    IF to_regclass('pippin_migrations') IS NULL THEN
        RETURN;
    END IF;
    -- What the first lines of a migration say: the number of the oldest last migration whose release runs on the schema, too,
    -- and whether the release that brings it can serve before it is applied.
    ALTER TABLE pippin_migrations
        ADD COLUMN runs_with integer NOT NULL DEFAULT 1 CHECK (runs_with BETWEEN 1 AND number),
        ADD COLUMN needed text NOT NULL DEFAULT 'now' CHECK (needed IN ('now', 'later'));
    ALTER TABLE pippin_migrations
        ALTER COLUMN runs_with DROP DEFAULT,
        ALTER COLUMN needed DROP DEFAULT;
    GRANT SELECT (runs_with) ON pippin_migrations TO pippin_system;
END
$$;
