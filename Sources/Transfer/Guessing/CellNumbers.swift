import HoldfastBytes
import HoldfastObjectModel

/// The numbers of a column of CSV, as a decimal point and as a decimal comma explain them.
struct CellNumbers {
    /// The type with decimal points; nil if a cell is no number then, or its number would not keep its text.
    let point: ScalarType?
    /// The type with decimal commas; nil as before.
    let comma: ScalarType?
    /// Whether a cell has a comma.
    let hasCommas: Bool
    /// Whether the commas may stand between thousands, as in `1,234`.
    let mayHaveGroupCommas: Bool

    /// Whether only decimal commas make the cells numbers.
    var needsComma: Bool { comma != nil && point == nil && hasCommas && !mayHaveGroupCommas }
    /// Whether only decimal points make the cells numbers.
    var needsPoint: Bool { point == .double && !isAmbiguous }
    /// Whether the points may stand between thousands or before decimals, as in `1.234`.
    let isAmbiguous: Bool

    /// Reads the cells of a column that are not empty, without the blanks around them.
    init(_ cells: [String]) {
        let texts = cells.map { Array($0.utf8) }
        var pointed: [[UInt8]]? = []
        var pointCounts: Set<Int> = []
        var hasCommas = false
        let buffer = ByteBuffer(capacity: 64)
        for text in texts {
            hasCommas = hasCommas || text.contains(UInt8(ascii: ","))
            pointCounts.insert(text.count(where: { $0 == UInt8(ascii: ".") }))
            guard pointed != nil else { continue }
            buffer.removeAll()
            if text.withUnsafeBytes({ NumberText.appendPointed($0, to: buffer) }) {
                pointed?.append(buffer.array)
            } else {
                pointed = nil
            }
        }
        self.hasCommas = hasCommas
        mayHaveGroupCommas =
            hasCommas
            && texts.allSatisfy { !$0.contains(UInt8(ascii: ",")) || Self.isGrouped($0) }
        let hasPoints = pointCounts != [0] && !pointCounts.isEmpty
        let point = Self.scalar(of: texts)
        let comma = pointed.flatMap { Self.scalar(of: $0) }
        isAmbiguous = hasPoints && point != nil && comma != nil
        self.point = point
        // As many points in each cell, such as in `100.200.300`, may belong to codes.
        let isCode = hasPoints && !hasCommas && pointCounts.count == 1
        self.comma = isCode ? nil : comma
    }

    /// Whether a text is a number of thousands with one comma behind them.
    private static func isGrouped(_ text: [UInt8]) -> Bool {
        let parts = text.drop { $0 == UInt8(ascii: "-") }.split(
            separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard parts.count == 2, (1...3).contains(parts[0].count), parts[1].count == 3 else {
            return false
        }
        return parts[0].first != UInt8(ascii: "0")
            && parts.allSatisfy { $0.allSatisfy { (48...57).contains($0) } }
    }

    /// The type of numbers that have decimal points; nil if one is no number, or its type would not keep its text.
    private static func scalar(of numbers: [[UInt8]]) -> ScalarType? {
        var type = ScalarType.int
        var decimalCounts: Set<Int> = []
        var endsInZero = false
        for number in numbers {
            switch NumberForm(cell: number) {
            case .int?: continue
            case .double?: type = .double
            case .long?, nil: return nil
            }
            guard let point = number.firstIndex(of: UInt8(ascii: ".")),
                number.allSatisfy({ $0 < UInt8(ascii: "A") })
            else { continue }
            decimalCounts.insert(number.count - point - 1)
            endsInZero = endsInZero || number.count - point > 2 && number.last == UInt8(ascii: "0")
        }
        if numbers.isEmpty { return nil }
        // Versions such as `1.9` and `1.10` are no numbers, and a column of prices has equally many decimals.
        return endsInZero && decimalCounts.count > 1 ? nil : type
    }

    /// The text of a number with a decimal comma as one with a point, without the points between thousands.
    static func pointed(_ text: String) -> String {
        let buffer = ByteBuffer(capacity: 64)
        _ = Array(text.utf8).withUnsafeBytes { NumberText.appendPointed($0, to: buffer) }
        return String(decoding: buffer.bytes, as: UTF8.self)
    }
}
