/// The type of number that keeps all that a text says.
enum NumberForm: Equatable {
    case int
    case double
    /// A number of JSON with more digits than a double keeps.
    case long

    /// Reads a number of JSON; nil for other text.
    init?(json text: String) {
        let bytes = Array(text.utf8)
        guard bytes.withUnsafeBytes({ NumberText.isJSON($0) }) else { return nil }
        if Self.isWhole(bytes), Self.isInt(bytes) {
            self = .int
        } else {
            self = Self.isKept(bytes) ? .double : .long
        }
    }

    /// Reads a cell with a decimal point; nil for other text, and for one that says more than its number. Examples are `007`,
    /// `+49`, codes such as `12E4`, and numbers with more digits than their type keeps.
    init?(cell text: [UInt8]) {
        var number = text
        if !text.withUnsafeBytes({ NumberText.isJSON($0) }) {
            // Databases leave out the zero of `0.5`.
            let unsigned = text.drop { $0 == UInt8(ascii: "-") }
            guard unsigned.first == UInt8(ascii: "."), text.count - unsigned.count < 2,
                let json = text.withUnsafeBytes({ NumberText.json($0) })
            else { return nil }
            number = json
        }
        if Self.isWhole(number) {
            guard Self.isInt(number) else { return nil }
            self = .int
            return
        }
        let power = number.drop { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }.dropFirst()
        let hasSign = power.first == UInt8(ascii: "+") || power.first == UInt8(ascii: "-")
        guard number.contains(UInt8(ascii: ".")) || hasSign, Self.isKept(number) else { return nil }
        self = .double
    }

    /// Whether a number has digits only, perhaps behind a minus.
    private static func isWhole(_ number: [UInt8]) -> Bool {
        number.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: "-") }
    }

    /// Whether a whole number fits into 64 bits. A zero with a sign is no int.
    private static func isInt(_ number: [UInt8]) -> Bool {
        let text = String(decoding: number, as: UTF8.self)
        return text != "-0" && Int64(text) != nil
    }

    /// Whether a double has the same digits, so that it is written as the same number.
    private static func isKept(_ number: [UInt8]) -> Bool {
        let text = String(decoding: number, as: UTF8.self)
        let digits = significantDigits(number)
        guard let value = Double(text), value.isFinite, value != 0 || digits.isEmpty else {
            return false
        }
        // Each number of so many digits is the shortest form of a double.
        return digits.count <= 15 || digits == significantDigits(Array("\(value)".utf8))
    }

    /// The digits of a number in front of its exponent, without the zeros around them.
    private static func significantDigits(_ number: [UInt8]) -> [UInt8] {
        var digits = number.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
            .filter { (48...57).contains($0) }
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return Array(digits.drop { $0 == UInt8(ascii: "0") })
    }
}
