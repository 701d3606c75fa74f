import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastRows

/// The columns of a sample of CSV, read by the converter of imports as if all cells were texts.
struct CSVSample {
    /// A column that is not left out.
    struct Column {
        /// The name in the text.
        let name: String
        /// The name, or the property that an option states for it.
        let property: String
        /// The cells by record; nil for an empty one without quotes.
        var cells: [String?] = []
    }

    /// The columns, from the left.
    private(set) var columns: [Column] = []
    /// The number of records that could be read.
    private(set) var recordCount = 0
    /// The records that could not be read.
    private(set) var faults = SampleFaults()
    /// Whether the file may have more records.
    private(set) var isCut: Bool
    /// The byte between cells.
    private(set) var delimiter: UInt8
    /// The encoding of the text.
    let encoding: TextEncoding

    private init(isCut: Bool, _ form: CSVForm) {
        self.isCut = isCut
        delimiter = form.delimiter
        encoding = form.encoding
    }

    // MARK: Delimiters

    private static let delimiters: [UInt8] = [
        UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|"),
    ]
    /// The bytes from which the delimiter is found.
    private static let headByteCount = 64 << 10

    /// Reads a sample with a stated delimiter, or with the one that makes the most columns of the fewest faulty records, and
    /// in a stated encoding, or in the one that it seems to have.
    ///
    /// - `names`: The names that options give to columns.
    /// - Throws: ``RequestFault`` for a header that can't be read, and for a sample without records.
    static func read(
        _ sample: GuessSample, _ form: CSVForm, _ names: ColumnNames, hasDelimiter: Bool,
        _ time: GuessTime
    ) throws(RequestFault) -> CSVSample {
        var form = form
        if form.encoding == .utf8 {
            form.encoding = sample.bytes.withUnsafeBytes {
                TextEncoding(of: $0, isCut: sample.isCut)
            }
        }
        if !hasDelimiter {
            form.delimiter = delimiter(of: sample.prefix(headByteCount), form, names, time)
        }
        let result = try read(sample, form, names, time)
        try time.check()
        try result.faults.requireObjects(result.recordCount)
        return result
    }

    private static func delimiter(
        of sample: GuessSample, _ form: CSVForm, _ names: ColumnNames, _ time: GuessTime
    ) -> UInt8 {
        var found = form.delimiter
        var best: (faultCount: Int, columnCount: Int)?
        for delimiter in delimiters {
            var form = form
            form.delimiter = delimiter
            guard let sampled = try? read(sample, form, names, time), sampled.columns.count > 1
            else { continue }
            let count = (faultCount: sampled.faults.count, columnCount: sampled.columns.count)
            if let best,
                (best.faultCount, -best.columnCount) <= (count.faultCount, -count.columnCount)
            {
                continue
            }
            best = count
            found = delimiter
        }
        return found
    }

    // MARK: Reading

    /// A class without the columns of any text: all columns are unknown to it, and their cells are texts.
    private static let rowClass: RowClass = {
        let key = "\u{1}"
        let storage = FieldStorage(.single, .string)
        return RowClass(
            index: 0, number: 1,
            definition: ObjectClass(
                name: "Sample", primaryKey: key,
                properties: [Property(name: key, type: .single(.scalar(.string)))]),
            members: [
                RowClass.Member(
                    number: 1, storage: storage, isOptional: false, classIndex: -1,
                    originProperty: -1, isIndexed: false)
            ],
            layouts: [RowLayout(number: 1, properties: [(1, storage)])], linkingMembers: [])
    }()

    private static func read(
        _ sample: GuessSample, _ form: CSVForm, _ names: ColumnNames, _ time: GuessTime
    ) throws(RequestFault) -> CSVSample {
        var options = ImportOptions()
        options.format = .csv
        options.csv = form
        options.names = names
        options.ignoresUnknown = true
        options.chunkByteCount = 256 << 10
        let schema = RowSchema(
            definition: Schema(classes: [rowClass.definition]), classes: [rowClass])
        var result = CSVSample(isCut: sample.isCut, form)
        let parser = JSONParser()
        let cutter = LineCutter(options, LongLineGate(), ImportFeed(onRoom: {})) { chunk in
            result.take(chunk, parser)
            return !result.isFull && time.isLeft
        }
        let converter = CSVConverter(rowClass, schema, seenBy: nil, cutter, options) { header in
            result.begin(header)
        }
        let source = form.encoding.source(converter)
        var mark = ByteOrderMark()
        var failure: RequestFault?
        sample.bytes.withUnsafeBytes { bytes in
            do throws(RequestFault) {
                try mark.strip(bytes) { bytes throws(RequestFault) in try source.append(bytes) }
                try mark.complete { bytes throws(RequestFault) in try source.append(bytes) }
                // The last record of a sample that is cut has no end, and is left out.
                if sample.isCut { cutter.complete() } else { try source.complete() }
            } catch { failure = error }
        }
        if let failure { throw failure }
        result.delimiter = converter.delimiter
        return result
    }

    private mutating func begin(_ header: CSVHeader) {
        columns = header.columns.compactMap { column in
            column.property.map { Column(name: column.text, property: $0) }
        }
    }

    /// Whether no more records are read.
    private var isFull: Bool { isCut && recordCount >= GuessSample.objectCountMax }

    /// Takes the records of a chunk, each a line of JSON with a member for each column.
    private mutating func take(_ chunk: ImportChunk, _ parser: JSONParser) {
        for (number, fault) in chunk.faults { faults.note("Line \(number): \(fault.detail)") }
        while let line = chunk.takeFirstLine() {
            guard recordCount < GuessSample.objectCountMax else {
                isCut = true
                return
            }
            guard let record = try? parser.parse(line) else { continue }
            recordCount += 1
            for (index, cell) in record.members.enumerated() where index < columns.count {
                columns[index].cells.append(cell.value.string)
            }
        }
    }
}
