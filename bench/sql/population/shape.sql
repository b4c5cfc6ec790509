-- The shape of the population: who belongs where, as functions of a number, so that every file speaks of the same people.
-- Half of everything is Acme's; the rest is spread over the other teams. The functions are the bench's own, and gone
-- with its database.
CREATE FUNCTION population_text(number bigint, prefix text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN md5(prefix || ' ' || number);

CREATE FUNCTION population_team(person bigint, teams bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN person % 2 = 0 THEN 'ACMETEAM01' ELSE 'T' || lpad((1 + person / 2 % (teams - 1))::text, 9, '0') END;

CREATE FUNCTION population_app(team text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE team WHEN 'ACMETEAM01' THEN 'com.acme.app' ELSE 'com.' || lower(team) || '.app' END;

CREATE FUNCTION population_client(team text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE team WHEN 'ACMETEAM01' THEN 'com.acme.web' ELSE 'com.' || lower(team) || '.web' END;

CREATE FUNCTION population_sub(person bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN '000000.' || population_text(person, 'population') || '.0000';

-- The console account that owns the other team of that number.
CREATE FUNCTION population_member(number bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN '000000.' || population_text(number, 'member') || '.0000';

CREATE FUNCTION population_ip(person bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '10.' || person / 65536 % 256 || '.' || person / 256 % 256 || '.' || person % 256;

-- As the audit log sorts addresses.
CREATE FUNCTION population_ip_key(person bigint) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN decode('00000000000000000000ffff0a' || lpad(to_hex(person % 16777216), 6, '0'), 'hex');

-- A refresh token as Pippin writes them.
CREATE FUNCTION population_token(number bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'r' || population_text(number, 'token') || '.0.mrs.'
    || translate(rtrim(encode(decode(population_text(number, 'secret'), 'hex'), 'base64'), '='), '+/', '-_');

CREATE FUNCTION population_id(number bigint, prefix text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN left(translate(population_text(number, prefix), '0189', 'ghij'), 26);

-- Filling a table without its indexes and building them afterwards takes a third of the time.
CREATE TABLE population_indexes (owner regclass NOT NULL, definition text NOT NULL);
CREATE FUNCTION population_drop_indexes(owner regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    index record;
BEGIN
    FOR index IN
        SELECT i.indexrelid::regclass AS name, c.conname, CASE
            -- As PostgreSQL tells it, it would be that of the parent of partitions alone.
            WHEN c.conname IS NULL THEN replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
            ELSE format('ALTER TABLE %s ADD CONSTRAINT %s %s', owner, c.conname, pg_get_constraintdef(c.oid))
        END AS definition
        FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.contype IN ('p', 'u')
        WHERE i.indrelid = owner
    LOOP
        INSERT INTO population_indexes VALUES (owner, index.definition);
        IF index.conname IS NULL THEN
            EXECUTE format('DROP INDEX %s', index.name);
        ELSE
            EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', owner, index.conname);
        END IF;
    END LOOP;
END
$$;
CREATE FUNCTION population_build_indexes(target regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    wanted text;
BEGIN
    FOR wanted IN DELETE FROM population_indexes WHERE owner = target RETURNING definition LOOP
        EXECUTE wanted;
    END LOOP;
END
$$;
