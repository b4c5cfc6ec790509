-- runs-with: 0004
-- needed: now

-- A path that may hold the token of a link, or the `state` of a test sign-in. In place of next_path, which
-- earlier servers read and write; rows live for a quarter of an hour.
ALTER TABLE interactions ADD COLUMN secret_sealed bytea;

-- In place of steps, which hold a code and tokens.
ALTER TABLE test_sign_ins ADD COLUMN steps_sealed bytea;

-- In place of body_text, body_html and link.
ALTER TABLE mailbox ADD COLUMN body_sealed bytea;

-- Random, and part of the digest of the row; it goes with the row, so that the digest tells nothing afterwards. NULL until an
-- event names the person again.
ALTER TABLE audit_people ADD COLUMN salt bytea;

-- The event's id ends with a digest of each person whom it names, so that the seal of the event covers names and addresses
-- without holding them. Before the insertion, because the id is part of the event. A person who is there under the same name
-- costs a look-up and no lock.
CREATE OR REPLACE FUNCTION pippin_audit_added() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    person record;
    digests text := '';
BEGIN
    IF NEW.actor_kind IN ('person', 'member') OR NEW.target_kind IN ('user', 'member') THEN
        FOR person IN
            SELECT named.kind, u.sub, pippin_full_name(u.given_name, u.family_name) AS name, u.email, p.salt,
                p.name = pippin_full_name(u.given_name, u.family_name) AND p.email IS NOT DISTINCT FROM u.email AS is_known
            FROM (
                SELECT NEW.actor_kind AS kind, NEW.actor AS sub
                UNION
                SELECT CASE NEW.target_kind WHEN 'user' THEN 'person' ELSE NEW.target_kind END, NEW.target
            ) AS named
            JOIN users u ON u.sub = named.sub
                AND u.team_id = CASE named.kind WHEN 'member' THEN 'PIPPIN0000' ELSE NEW.team_id END
            LEFT JOIN audit_people p ON p.team_id = NEW.team_id AND p.kind = named.kind AND p.sub = named.sub
            WHERE named.kind IN ('person', 'member')
        LOOP
            IF person.salt IS NULL OR NOT person.is_known THEN
                -- Two events may add a person at once: the second keeps the salt, which the id of the first depends on.
                INSERT INTO audit_people AS known (team_id, kind, sub, name, email, salt)
                VALUES (
                    NEW.team_id, person.kind, person.sub, person.name, person.email, uuid_send(gen_random_uuid())
                )
                ON CONFLICT (team_id, kind, sub) DO UPDATE SET name = EXCLUDED.name, email = EXCLUDED.email, salt = CASE
                    WHEN known.name = EXCLUDED.name AND known.email IS NOT DISTINCT FROM EXCLUDED.email
                    THEN coalesce(known.salt, EXCLUDED.salt) ELSE EXCLUDED.salt END
                RETURNING salt INTO person.salt;
            END IF;
            -- 72 bits of it, in base64url.
            digests := digests || '.' || left(translate(encode(sha256(
                person.salt || convert_to(person.name, 'UTF8') || '\x00'::bytea
                || convert_to(coalesce(person.email, ''), 'UTF8')
            ), 'base64'), '+/', '-_'), 12);
        END LOOP;
        IF digests <> '' THEN NEW.event_id := NEW.event_id || digests; END IF;
    END IF;
    INSERT INTO audit_unsealed (team_id, at, event_id) VALUES (NEW.team_id, NEW.at, NEW.event_id);
    IF NEW.words <> '{}' THEN
        INSERT INTO audit_words (team_id, word, at, event_id)
        SELECT DISTINCT NEW.team_id, word, NEW.at, NEW.event_id FROM unnest(NEW.words) AS word;
    END IF;
    RETURN NEW;
END
$$;
DROP TRIGGER audit_added ON audit_events;
CREATE TRIGGER audit_added BEFORE INSERT ON audit_events
FOR EACH ROW EXECUTE FUNCTION pippin_audit_added();

-- 30 random bits suffice within a microsecond.
ALTER TABLE audit_events ALTER COLUMN event_id
SET DEFAULT left(translate(encode(uuid_send(gen_random_uuid()), 'base64'), '+/', '-_'), 5);
