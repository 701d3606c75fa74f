import HoldfastObjectJSON

/// The beginning of a file, from which a class is guessed. Memory: its bytes.
package struct GuessSample: Sendable {
    /// The form of the text.
    package enum Form: Sendable {
        /// A header with names, and one object a record.
        case csv
        /// JSON objects, one behind the other or in an array, plain or of MongoDB's extended JSON; or GeoJSON.
        case json
        /// Features of GeoJSON.
        case geoJSON

        /// The media type of the text.
        package var mediaType: String {
            switch self {
            case .csv: "text/csv"
            case .json: "application/json"
            case .geoJSON: "application/geo+json"
            }
        }
    }

    /// The bytes that a sample has at most.
    package static let byteCountMax = 1 << 20
    /// The objects that a sample has at most.
    package static let objectCountMax = 10_000

    /// The bytes.
    package let bytes: [UInt8]
    /// Whether the file may go on behind the bytes. The last object may be incomplete then, and is not read.
    let isCut: Bool

    /// Takes at most the first ``byteCountMax`` bytes of a text. A text with at least so many bytes counts as cut.
    package init(_ text: UnsafeRawBufferPointer) {
        self.init(Array(text.prefix(Self.byteCountMax)), isCut: text.count >= Self.byteCountMax)
    }

    private init(_ bytes: [UInt8], isCut: Bool) {
        self.bytes = bytes
        self.isCut = isCut
    }

    /// The form that the first character shows, behind blanks and a byte order mark: JSON begins with a bracket.
    package var form: Form {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0)
        switch text.first(where: { $0 > 0x20 }) {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return .json
        default: return .csv
        }
    }

    /// - Throws: ``RequestFault`` for the file of a spreadsheet itself, which is a ZIP archive.
    func refuseArchive() throws(RequestFault) {
        guard bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) else { return }
        throw RequestFault(
            .invalid, "no-class",
            "The file is a ZIP archive, as an .xlsx or .ods file of a spreadsheet is. Save it as CSV in the spreadsheet."
        )
    }

    /// A shorter sample of the same file.
    func prefix(_ byteCount: Int) -> GuessSample {
        guard byteCount < bytes.count else { return self }
        return GuessSample(Array(bytes.prefix(byteCount)), isCut: true)
    }
}
