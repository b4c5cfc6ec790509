-- The audit log is searched: by actor, action, target, address and words. And it names people by their ids alone;
-- names and addresses lie beside it, where they can be erased.

ALTER TABLE audit_events
    -- The address as 16 octets, IPv4 in its IPv6-mapped form: they sort, so that a network is a range of them.
    ADD COLUMN ip_key bytea,
    -- What free text finds the event by; audit_words holds them again, the other way round.
    ADD COLUMN words text[] NOT NULL DEFAULT '{}';

UPDATE audit_events
SET ip_key = CASE family(ip::inet)
        WHEN 4 THEN '\x00000000000000000000ffff'::bytea || substring(inet_send(ip::inet) FROM 5)
        ELSE substring(inet_send(ip::inet) FROM 5)
    END
WHERE ip IS NOT NULL;
UPDATE audit_events
SET words = ARRAY(SELECT DISTINCT lower(word) FROM unnest(ARRAY[actor, target, split_part(action, '.', 2)]) AS word);

CREATE INDEX audit_events_actor ON audit_events (team_id, actor, at);
CREATE INDEX audit_events_action ON audit_events (team_id, action, at);
CREATE INDEX audit_events_ip_key ON audit_events (team_id, ip_key, at);
CREATE INDEX audit_events_refused ON audit_events (team_id, at) WHERE outcome = 'refused';
-- Of one thing, whatever its kind: the name alone tells things apart well enough.
CREATE INDEX audit_events_target_name ON audit_events (team_id, target, at);
DROP INDEX audit_events_target;

-- Where each word stands. Under row-level security a text search index would be of no use: its operators are not
-- leakproof, while equality of text is.
CREATE TABLE audit_words (
    team_id text COLLATE "C" NOT NULL,
    word text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (team_id, word, at, event_id)
) PARTITION BY RANGE (at);
SELECT pippin_wall('audit_words');
GRANT SELECT ON audit_words TO pippin_app;

-- Who the ids in the log are. Erased with the person; the events and their seals stay as they are.
CREATE TABLE audit_people (
    team_id text COLLATE "C" NOT NULL REFERENCES teams,
    -- A person of the team, or a member: a user of the system team.
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('person', 'member')),
    sub text COLLATE "C" NOT NULL,
    name text NOT NULL,
    email text,
    name_key text COLLATE "C" GENERATED ALWAYS AS (lower(name)) STORED,
    email_key text COLLATE "C" GENERATED ALWAYS AS (lower(email)) STORED,
    PRIMARY KEY (team_id, kind, sub)
);
CREATE INDEX audit_people_name_key ON audit_people (team_id, name_key);
CREATE INDEX audit_people_email_key ON audit_people (team_id, email_key);
-- For erasing a console account in whatever team it left its name.
CREATE INDEX audit_people_member ON audit_people (sub) WHERE kind = 'member';
SELECT pippin_wall('audit_people');
GRANT SELECT ON audit_people TO pippin_app;

-- Notes the words of a new event and the people it names, so that every statement which writes an event stays one.
-- A person who is there already under the same name costs a look and no lock.
CREATE FUNCTION pippin_audit_added() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO audit_words (team_id, word, at, event_id)
    SELECT NEW.team_id, word, NEW.at, NEW.event_id FROM unnest(NEW.words) AS word
    ON CONFLICT DO NOTHING;
    IF NEW.actor_kind IN ('person', 'member') OR NEW.target_kind IN ('user', 'member') THEN
        INSERT INTO audit_people AS known (team_id, kind, sub, name, email)
        SELECT NEW.team_id, named.kind, u.sub, trim(u.given_name || ' ' || u.family_name), u.email
        FROM (
            SELECT NEW.actor_kind AS kind, NEW.actor AS sub
            UNION
            SELECT CASE NEW.target_kind WHEN 'user' THEN 'person' ELSE NEW.target_kind END, NEW.target
        ) AS named
        JOIN users u ON u.sub = named.sub
            AND u.team_id = CASE named.kind WHEN 'member' THEN 'PIPPIN0000' ELSE NEW.team_id END
        WHERE named.kind IN ('person', 'member') AND NOT EXISTS (
            SELECT FROM audit_people p
            WHERE p.team_id = NEW.team_id AND p.kind = named.kind AND p.sub = named.sub
                AND p.name = trim(u.given_name || ' ' || u.family_name) AND p.email IS NOT DISTINCT FROM u.email
        )
        ON CONFLICT (team_id, kind, sub) DO UPDATE SET name = EXCLUDED.name, email = EXCLUDED.email;
    END IF;
    RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION pippin_audit_added FROM PUBLIC;
CREATE TRIGGER audit_added AFTER INSERT ON audit_events
FOR EACH ROW EXECUTE FUNCTION pippin_audit_added();

CREATE FUNCTION pippin_audit_person_deleted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    DELETE FROM audit_people WHERE team_id = OLD.team_id AND kind = 'person' AND sub = OLD.sub;
    IF OLD.team_id = 'PIPPIN0000' THEN
        DELETE FROM audit_people WHERE kind = 'member' AND sub = OLD.sub;
    END IF;
    RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION pippin_audit_person_deleted FROM PUBLIC;
CREATE TRIGGER audit_person_deleted AFTER DELETE ON users
FOR EACH ROW EXECUTE FUNCTION pippin_audit_person_deleted();

-- Now with the months of the words.
CREATE OR REPLACE FUNCTION pippin_make_partitions() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    month date;
    parent text;
BEGIN
    FOR ahead IN 0..2 LOOP
        month := date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead);
        FOREACH parent IN ARRAY ARRAY['audit_events', 'audit_words'] LOOP
            EXECUTE format(
                'CREATE TABLE IF NOT EXISTS %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
                parent || '_' || to_char(month, 'YYYYMM'),
                parent,
                to_char(month, 'YYYY-MM-DD') || ' 00:00:00+00',
                to_char(month + interval '1 month', 'YYYY-MM-DD') || ' 00:00:00+00'
            );
        END LOOP;
    END LOOP;
END
$$;
SELECT pippin_make_partitions();

-- What was written before has words and people too.
DO $$
DECLARE
    month record;
BEGIN
    FOR month IN
        SELECT c.relname, pg_get_expr(c.relpartbound, c.oid) AS bound
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'audit_events'::regclass
    LOOP
        EXECUTE format(
            'CREATE TABLE IF NOT EXISTS %I PARTITION OF audit_words %s',
            replace(month.relname, 'audit_events', 'audit_words'),
            month.bound
        );
    END LOOP;
END
$$;
INSERT INTO audit_words (team_id, word, at, event_id)
SELECT team_id, word, at, event_id FROM audit_events, unnest(words) AS word;
INSERT INTO audit_people (team_id, kind, sub, name, email)
SELECT DISTINCT named.team_id, named.kind, u.sub, trim(u.given_name || ' ' || u.family_name), u.email
FROM (
    SELECT team_id, actor_kind AS kind, actor AS sub FROM audit_events
    UNION
    SELECT team_id, CASE target_kind WHEN 'user' THEN 'person' ELSE target_kind END, target FROM audit_events
) AS named
JOIN users u ON u.sub = named.sub
    AND u.team_id = CASE named.kind WHEN 'member' THEN 'PIPPIN0000' ELSE named.team_id END
WHERE named.kind IN ('person', 'member');
