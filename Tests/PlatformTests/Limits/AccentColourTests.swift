import Platform
import Testing

@Suite struct `An accent colour` {
    @Test(arguments: ["#1a73e8", "#000000", "#ffffff", "#0A0b0C"]) func `is read and written as six digits`(
        text: String
    ) { #expect(AccentColour(rawValue: text)?.rawValue == text.lowercased()) }

    @Test(arguments: ["", "#fff", "1a73e8", "#1a73e", "#1a73e8f", "#+a73e8", "#1a73eg", "#1a73e٣", "red"])
    func `is nothing else`(text: String) { #expect(AccentColour(rawValue: text) == nil) }

    @Test func `has the contrasts that WCAG gives`() throws {
        let grey = try #require(AccentColour(rawValue: "#767676"))

        #expect(AccentColour.black.contrast(with: .white) == 21)
        #expect(AccentColour.white.contrast(with: .white) == 1)
        // The lightest grey that text on white may have.
        #expect(abs(grey.contrast(with: .white) - 4.54) < 0.01)
    }

    @Test func `bears white or black, whatever it is, and can be made legible on any ground`() {
        for red in stride(from: 0, through: 255, by: 51) {
            for green in stride(from: 0, through: 255, by: 51) {
                for blue in stride(from: 0, through: 255, by: 51) {
                    let colour = AccentColour(red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
                    for ground in [AccentColour.white, .black, colour] {
                        let isDark = ground.contrast(with: .white) >= ground.contrast(with: .black)
                        let ink = isDark ? AccentColour.white : .black
                        #expect(ground.contrast(with: ink) >= AccentColour.textContrast)
                        let text = colour.legible(on: [ground], toward: ink)
                        #expect(text.contrast(with: ground) >= AccentColour.textContrast)
                    }
                }
            }
        }
    }

    @Test func `that reads well already stays as it is`() throws {
        let blue = try #require(AccentColour(rawValue: "#0b57d0"))

        #expect(blue.legible(on: [.white], toward: .black) == blue)
    }
}
