import HoldfastObjectModel

/// The texts of identifiers.
enum IdentifierForms {
    /// Whether each of the texts is a UUID.
    static func areUUIDs(_ texts: [String]) -> Bool {
        texts.allSatisfy { text in
            Array(text.utf8).withUnsafeBytes { UUID128(text: $0) != nil }
        }
    }

    /// Whether each of the texts is an object id in the form in which one is written. Texts of digits only may be other
    /// numbers.
    static func areObjectIDs(_ texts: [String]) -> Bool {
        let areDigits = texts.allSatisfy { text in
            text.utf8.count == 24
                && text.utf8.allSatisfy {
                    (48...57).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
                }
        }
        return areDigits && texts.contains { $0.utf8.contains { $0 > UInt8(ascii: "9") } }
    }

    /// The digits of cells that are object ids, also as `ObjectId(…)`; nil for other cells.
    static func objectIDs(ofCells cells: [String]) -> [String]? {
        let stated = cells.map { cell in
            Array(cell.utf8).withUnsafeBytes { bytes in
                CSVConverter.digits(bytes).map { String(decoding: $0, as: UTF8.self) }
            }
        }
        let digits = zip(stated, cells).map { $0 ?? $1 }
        guard stated.contains(where: { $0 != nil }) else {
            return areObjectIDs(digits) ? digits : nil
        }
        let areIDs = digits.allSatisfy { text in
            Array(text.utf8).withUnsafeBytes { ObjectID(text: $0) != nil }
        }
        return areIDs ? digits.map { $0.lowercased() } : nil
    }
}
