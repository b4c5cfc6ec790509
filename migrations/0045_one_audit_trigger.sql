-- All that follows a new event, in one trigger and without the locks of a conflict: every sign-in pays for it.
CREATE OR REPLACE FUNCTION pippin_audit_added() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO audit_unsealed (team_id, at, event_id) VALUES (NEW.team_id, NEW.at, NEW.event_id);
    INSERT INTO audit_words (team_id, word, at, event_id)
    SELECT DISTINCT NEW.team_id, word, NEW.at, NEW.event_id FROM unnest(NEW.words) AS word;
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
DROP TRIGGER audit_waits ON audit_events;
DROP FUNCTION pippin_audit_waits();
