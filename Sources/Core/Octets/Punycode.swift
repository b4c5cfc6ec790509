/// Punycode: labels of internationalised domain names in ASCII, without their prefix `xn--` (RFC 3492).
public enum Punycode {
    // Section 5.
    private static let (base, leastThreshold, mostThreshold, skew, damping) = (36, 1, 26, 38, 700)
    private static let (initialBias, initialScalar) = (72, 128)
    /// Most scalars of a label, so that no number overflows; a label has at most 63 octets (RFC 1035 section 2.3.4).
    private static let longestLabel = 63

    /// Encodes a label (section 6.3); nil if it is too long.
    public static func encode(_ label: String) -> String? {
        let scalars = label.unicodeScalars.map { Int($0.value) }
        guard scalars.count <= longestLabel else { return nil }
        var output = scalars.filter { $0 < initialScalar }.map { UInt8($0) }
        let basicCount = output.count
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var (count, delta, bias, scalar) = (basicCount, 0, initialBias, initialScalar)
        while let next = scalars.filter({ $0 >= scalar }).min() {
            delta += (next - scalar) * (count + 1)
            for other in scalars {
                if other < next { delta += 1 }
                guard other == next else { continue }
                append(delta, bias, to: &output)
                bias = adapted(delta, count: count + 1, isFirst: count == basicCount)
                (count, delta) = (count + 1, 0)
            }
            (delta, scalar) = (delta + 1, next + 1)
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Decodes a label (section 6.2); nil if the text is none.
    public static func decode(_ text: String) -> String? {
        let octets = Array(text.utf8)
        guard octets.count <= longestLabel, octets.allSatisfy({ $0 < initialScalar }) else { return nil }
        let delimiter = octets.lastIndex(of: UInt8(ascii: "-"))
        var scalars = octets[..<(delimiter ?? 0)].map { Unicode.Scalar($0) }
        var digits = octets[(delimiter.map { $0 + 1 } ?? 0)...]
        var (place, bias, scalar) = (0, initialBias, initialScalar)
        while !digits.isEmpty {
            let start = place
            guard let delta = number(&digits, bias) else { return nil }
            place += delta
            bias = adapted(place - start, count: scalars.count + 1, isFirst: start == 0)
            scalar += place / (scalars.count + 1)
            place %= scalars.count + 1
            guard let value = UInt32(exactly: scalar).flatMap(Unicode.Scalar.init) else { return nil }
            scalars.insert(value, at: place)
            place += 1
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private static func threshold(_ position: Int, _ bias: Int) -> Int {
        min(max(position - bias, leastThreshold), mostThreshold)
    }

    /// Appends a number as digits of variable length (section 3.3).
    private static func append(_ number: Int, _ bias: Int, to output: inout [UInt8]) {
        var (rest, position) = (number, base)
        while rest >= threshold(position, bias) {
            let least = threshold(position, bias)
            output.append(digit(least + (rest - least) % (base - least)))
            rest = (rest - least) / (base - least)
            position += base
        }
        output.append(digit(rest))
    }

    private static func number(_ digits: inout ArraySlice<UInt8>, _ bias: Int) -> Int? {
        var (number, weight, position) = (0, 1, base)
        // Eight digits are more than any scalar at any place needs, and cannot overflow.
        while let octet = digits.popFirst(), let value = value(of: octet), position <= 8 * base {
            number += value * weight
            let least = threshold(position, bias)
            if value < least { return number }
            weight *= base - least
            position += base
        }
        return nil
    }

    /// Section 6.1.
    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damping : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - leastThreshold) * mostThreshold / 2 {
            delta /= base - leastThreshold
            steps += base
        }
        return steps + (base - leastThreshold + 1) * delta / (delta + skew)
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value) + (value < 26 ? UInt8(ascii: "a") : UInt8(ascii: "0") - 26)
    }

    private static func value(of digit: UInt8) -> Int? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit - UInt8(ascii: "0")) + 26
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(digit - UInt8(ascii: "a"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(digit - UInt8(ascii: "A"))
        default: nil
        }
    }
}
