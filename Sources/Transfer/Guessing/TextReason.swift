/// The reason why the values of a column are texts.
enum TextReason {
    /// The reason for cells that are no values of another type.
    static func clause(_ cells: [String]) -> String {
        func isDigits(_ text: Substring) -> Bool { text.utf8.allSatisfy { (48...57).contains($0) } }
        if let code = cells.first(where: {
            $0.utf8.count > 1 && $0.first == "0" && isDigits($0[...])
        }) {
            return "a number would lose the zeros in front of \(GuessWords.quoted(code))"
        }
        if let signed = cells.first(where: { $0.first == "+" && isDigits($0.dropFirst()) }) {
            return "a number would lose the sign of \(GuessWords.quoted(signed))"
        }
        let others = cells.filter { NumberForm(cell: Array($0.utf8)) == nil }
        if !others.isEmpty, others.count * 2 < cells.count {
            return GuessWords.some(
                others.count, of: cells.count, "values", "is no number", "are no numbers")
                + ", such as \(GuessWords.quoted(others[0]))"
        }
        if others.isEmpty, !cells.isEmpty {
            return "numbers would not keep the texts as they are, such as the digits of "
                + GuessWords.quoted(cells[0])
        }
        return GuessWords.all(cells.count, "a text", "texts")
    }

    /// The words of names of codes that consist of digits.
    private static let codeWords: Set<String> = [
        "plz", "zip", "zipcode", "postal", "postcode", "postleitzahl", "cap", "phone", "telephone",
        "telefon", "tel", "fax", "mobile", "mobil", "handy", "isbn", "ean", "gtin", "iban", "bic",
        "blz", "konto", "ssn", "sku", "barcode",
    ]

    /// The word of a column's name that stands for codes; nil without one.
    static func codeWord(in name: String) -> String? {
        PropertyNames.words(of: name).first { codeWords.contains($0) }
    }
}
