import Glibc
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// Reads the lines of chunks into drafts. One thread at a time uses a reader.
final class ImportReader {
    private let options: ImportOptions
    private let parser = JSONParser()
    private let reader = ObjectReader()
    private var names: SchemaNames?
    /// The most memory that the drafts of lines take which are in memory together, in bytes: more than any text of a chunk
    /// states but by mischief.
    private static let draftByteCountMax = 4 * ObjectReader.draftByteCountMax
    /// The memory of the drafts so far.
    private var draftByteCount = 0
    /// Pools of drafts that no chunk has.
    private var pools: [DraftPool] = []

    init(_ options: ImportOptions) {
        self.options = options
        reader.ignoresUnknown = options.ignoresUnknown
    }

    /// Reads all lines of a chunk, again if they were read before.
    ///
    /// - `rowClass`: The class of the objects, of `schema`; nil for lines of a whole store.
    /// - `schema`: The schema of `catalog`, with the known names.
    func read(
        _ chunk: ImportChunk, _ rowClass: RowClass?, _ schema: RowSchema, _ catalog: Catalog
    ) {
        let names: SchemaNames
        if let known = self.names, known.schema === schema {
            names = known
        } else {
            names = SchemaNames(schema)
            self.names = names
        }
        chunk.catalog = catalog
        chunk.lines.removeAll(keepingCapacity: true)
        if let drafts = chunk.drafts {
            takeBack(drafts)
        } else {
            chunk.drafts = pools.popLast() ?? DraftPool()
        }
        reader.drafts = chunk.drafts
        // All lines of an atomic import are in memory together.
        if !options.isAtomic { draftByteCount = 0 }
        chunk.unknownCount = 0
        chunk.readFaults = chunk.faults.map { ($0.number, [$0.fault]) }
        var (start, index) = chunk.start
        let base = chunk.text.bytes
        while start < chunk.byteCount, let address = base.baseAddress {
            let end =
                memchr(address + start, 10, chunk.byteCount - start).map {
                    UnsafeRawPointer($0) - address
                } ?? chunk.byteCount
            var first = start
            var last = end
            while first < last, Self.isBlank(base[first]) { first += 1 }
            while last > first, Self.isBlank(base[last - 1]) { last -= 1 }
            if first < last {
                var line = ImportChunk.Line(
                    number: chunk.numbers?[index] ?? chunk.firstNumber + index, start: first,
                    count: last - first)
                read(&line, chunk, rowClass, names)
                chunk.lines.append(line)
            }
            index += 1
            start = end + 1
        }
    }

    /// Recycles the drafts of a chunk. No other thread may use the chunk any more.
    func recycle(_ chunk: ImportChunk) {
        chunk.lines = []
        guard let drafts = chunk.drafts else { return }
        chunk.drafts = nil
        takeBack(drafts)
        pools.append(drafts)
    }

    /// Recycles a pool unless it is larger than most lines need: an object with one or two embedded ones.
    private func takeBack(_ drafts: DraftPool) {
        drafts.takeBack(keeping: 3 * options.chunkLineCount)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D
    }

    private func read(
        _ line: inout ImportChunk.Line, _ chunk: ImportChunk, _ rowClass: RowClass?,
        _ names: SchemaNames
    ) {
        guard draftByteCount <= Self.draftByteCountMax else {
            let fault = ObjectReader.tooLarge
            return chunk.readFaults.append(
                (line.number, [RequestFault.Entry(code: fault.code, detail: fault.detail)]))
        }
        let json: JSONValue
        let text = chunk.text(of: line)
        do throws(JSONError) {
            json = try parser.parse(text, hasPadding: true, depthMax: options.limits.jsonDepthMax)
        } catch {
            chunk.readFaults.append((line.number, [RequestFault.Entry(line: error, in: text)]))
            return
        }
        reader.reset(operationCountMax: .max)
        let isMerge = options.mode == .merge
        line.reading =
            if let rowClass {
                reader.read(json, as: rowClass, names: names, isMerge: isMerge)
            } else {
                reader.readStored(json, names: names, isMerge: isMerge)
            }
        draftByteCount += reader.draftByteCount
        if line.reading == nil {
            chunk.readFaults.append((line.number, reader.faults))
        } else if chunk.numbers == nil {
            // Lines that waited were counted when they came.
            chunk.unknownCount += reader.unknownCount
        }
    }
}
