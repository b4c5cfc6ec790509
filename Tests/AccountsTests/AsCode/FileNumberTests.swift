import Accounts
import Core
import Registry
import TestNumbers
import Testing

/// Security case V39 in registry files: every member in its turn holds every number.
@Suite struct `A number in a registry file` {
    /// A place in JSON: the names and positions that lead there.
    private struct Place {
        var path: String
        var replace: @Sendable (JSONValue) -> JSONValue
    }

    /// Every member and element of a value, at any depth.
    private static func places(in value: JSONValue, at path: String = "") -> [Place] {
        switch value {
        case .object(let members):
            members.sorted { $0.key < $1.key }.flatMap { name, inner in
                let own = Place(path: path.isEmpty ? name : "\(path).\(name)") { new in
                    .object(members.merging([name: new]) { $1 })
                }
                return [own]
                    + places(in: inner, at: own.path).map { deep in
                        Place(path: deep.path) { own.replace(deep.replace($0)) }
                    }
            }
        case .array(let values):
            values.indices.flatMap { index in
                let own = Place(path: "\(path)[\(index)]") { new in
                    var values = values
                    values[index] = new
                    return .array(values)
                }
                return [own]
                    + places(in: values[index], at: own.path).map { deep in
                        Place(path: deep.path) { own.replace(deep.replace($0)) }
                    }
            }
        default: []
        }
    }

    @Test func `V39: is refused at its place, whatever number it is and whatever belongs there`() throws {
        let file = try JSON.decode(JSONValue.self, from: Array(Files.whole.utf8))
        let places = Self.places(in: file)
        #expect(places.count > 30)
        for place in places {
            let spoilt = String(decoding: JSON.encode(place.replace("@")), as: UTF8.self)
            for number in BoundaryNumber.json where Self.isNumber(number.text) {
                let problems = Files.problems(spoilt.replacing("\"@\"", with: number.text))
                // Two members that belong together may be refused as one.
                #expect(!problems.isEmpty, "\(place.path) = \(number)")
                #expect(
                    problems.contains {
                        $0.path.description.hasPrefix(place.path) || place.path.hasPrefix($0.path.description)
                    }, "\(place.path) = \(number): \(problems)")
            }
        }
    }

    private static func isNumber(_ text: String) -> Bool { text.first.map { "+-.0123456789".contains($0) } ?? false }
}
