import HoldfastObjectModel

/// The property names for the names of a file, each different from the others.
struct PropertyNames {
    private var taken: Set<ExactText>

    /// Makes names beside some that are taken.
    init(taken: [String] = []) { self.taken = Set(texts: taken) }

    /// The bytes of a name, with room for a number behind it.
    private static let byteCountMax = ModelLimits.propertyNameByteCountMax - 5

    /// Whether a name may be that of a property.
    static func isValid(_ name: String) -> Bool { Schema.faults(ofPropertyName: name).isEmpty }

    /// Returns a property's name for a name of a file, which is the same if it is valid and free.
    mutating func name(for text: String) -> String {
        let base = Self.isValid(text) ? text : Self.valid(text)
        var name = base
        var number = 2
        while !taken.insert(name) {
            name = "\(Self.valid(base))\(number)"
            number += 1
        }
        return name
    }

    /// Makes a valid name of any text: other characters become `_`, and blanks and `_` around it are left out.
    ///
    /// - `byteCountMax`: The bytes of the name, and of the part of the text that is read.
    static func valid(_ text: String, byteCountMax: Int = PropertyNames.byteCountMax) -> String {
        var scalars = String.UnicodeScalarView()
        // A name may get a `_` in front.
        var room = byteCountMax - 1
        for scalar in text.unicodeScalars.prefix(byteCountMax) {
            let kept: Unicode.Scalar = isValid("a" + String(scalar)) ? scalar : "_"
            let isBlank = kept == "_" || kept == " "
            if isBlank, scalars.isEmpty { continue }
            if kept != scalar, scalars.last == "_" || scalars.last == " " { continue }
            room -= UTF8.width(kept)
            if room < 0 { break }
            scalars.append(kept)
        }
        while let last = scalars.last, last == "_" || last == " " { scalars.removeLast() }
        let name = scalars.isEmpty ? "column" : String(scalars)
        // It begins with a digit, or with a mark that belongs to a letter.
        return isValid(name) ? name : "_" + name
    }

    /// Returns the words of a name, in lower case: `customerId` and `Customer-ID` are `customer` and `id`.
    static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var isAfterLower = false
        for character in name {
            if !character.isLetter && !character.isNumber || character.isUppercase && isAfterLower {
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            if character.isLetter || character.isNumber { word += character.lowercased() }
            isAfterLower = character.isLowercase
        }
        return word.isEmpty ? words : words + [word]
    }
}
