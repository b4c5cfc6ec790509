"""An App ID goes to another team of the installation, with its Service IDs."""

from playwright.sync_api import expect


def test_an_app_id_is_offered_and_accepted(story_team):
    giver, team = story_team("GIVERTEAM1")
    giver.register_app_id("com.giver.orangery", "Orangery")
    giver.create_service_id(
        "com.giver.orangery.web", "Orangery Club", of="com.giver.orangery", domains="giver.example", return_urls=[]
    )
    taker, _ = story_team("TAKERTEAM1")
    page = giver.open("app-ids")
    page.get_by_role("link", name="Transfers").click()
    page.get_by_label("App ID", exact=True).select_option("com.giver.orangery")
    page.get_by_label("Team ID of the other team").fill("TOO-SHORT")
    page.get_by_role("button", name="Offer", exact=True).click()
    expect(page.locator(".field-error")).to_contain_text("A Team ID has 10")
    page.get_by_label("Team ID of the other team").fill(taker.team_id)
    page.get_by_role("button", name="Offer", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("It is offered")

    other = taker.open("transfers")
    offer = other.get_by_role("listitem").filter(has_text="com.giver.orangery")
    expect(offer).to_contain_text(f"From {giver.team_id}")
    other.get_by_role("link", name="Review").click()
    expect(other.get_by_text("com.giver.orangery.web")).to_be_visible()
    other.get_by_label("Type com.giver.orangery to confirm").fill("com.giver.orangery")
    other.get_by_label("Reason").fill("Taken over")
    other.get_by_role("button", name="Accept").click()
    expect(other.get_by_role("status")).to_contain_text("It is yours")
    taker.open("service-ids/com.giver.orangery.web")
    expect(other.get_by_role("heading", name="Orangery Club", level=1)).to_be_visible()

    giver.open("transfers")
    expect(page.get_by_role("listitem").filter(has_text="com.giver.orangery")).to_contain_text("Accepted")
    expect(giver.open("app-ids").get_by_role("link", name="Orangery", exact=True)).to_be_visible()
    log = giver.open("audit").locator("ul.events")
    expect(log.get_by_text("Transfer of an app offered")).to_be_visible()
