-- The texts of :count live refresh tokens of Acme's, each another person's, scattered over the whole table; with
-- another :first they are other people's.
SELECT population_token(2 * pair - 1 + :people * ((10 - pair % 10) % 10))
FROM (
    SELECT 1 + (:first + n) * 7919 % (:people / 2) AS pair FROM generate_series(1::bigint, :count) AS n
    OFFSET 0
) AS picked;
