import Glibc
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
import HoldfastThreads

/// The reading half of the embedded table: queries, parsed each time, and counts only.
struct EmbeddedReads {
    /// One query.
    private struct Question {
        var name: String
        var filter: String
        /// The text that the plain loop looks for.
        var text = ""
        var sort: String?
        /// The number of objects found, of 1,000,000.
        var expected: Int?
    }

    private let read: ReadTransaction
    private let rowClass: RowClass
    private let arguments: Arguments

    init(_ read: ReadTransaction, _ arguments: Arguments) throws {
        guard let rowClass = read.rows.rowClass(named: "Person") else {
            throw Failure(description: "no class Person")
        }
        self.read = read
        self.rowClass = rowClass
        self.arguments = arguments
    }

    private func questions() throws -> [Question] {
        let middle = try text(2, of: Int64(arguments.objectCount * 3 / 4))
        let name = middle.prefix { $0 != "@" }.uppercased() + "@"
        return [
            Question(name: "int", filter: "age > 53", expected: 500_409),
            Question(name: "string", filter: "email == '\(middle)'", text: middle, expected: 1),
            Question(
                name: "contains-one", filter: "email CONTAINS[c] '\(name)'", text: name,
                expected: 1),
            Question(
                name: "contains-eighth", filter: "email CONTAINS[c] '@MAIL3.'", text: "@MAIL3.",
                expected: 124_781),
            Question(name: "link", filter: "city.name == 'City0437'", expected: 947),
            Question(name: "link-not", filter: "city.name != 'City0437'", expected: 999_053),
            Question(
                name: "three", filter: "age > 30 AND active == true AND score < 50.0",
                expected: 205_541),
            Question(name: "any", filter: "ANY tags == 'tag07'", text: "tag07", expected: 40_032),
            Question(name: "top", filter: "TRUEPREDICATE", sort: "-score", expected: 50),
        ]
    }

    private func object(_ id: Int64) throws -> RowView {
        guard let key = OrderedKey(.int(id)),
            let found = try key.bytes.withUnsafeBytes({
                try read.find(rowClass, primaryKey: $0)
            })
        else { throw Failure(description: "no person \(id)") }
        return found.row
    }

    private func text(_ member: Int, of id: Int64) throws -> String {
        String(decoding: rowClass.field(member, in: try object(id)).text(read), as: UTF8.self)
    }

    private func ask(_ question: Question) throws -> Int {
        let compiled = try CompiledQuery.compile(
            text: question.filter, rootClass: rowClass.index, schema: read.rows)
        var query = ObjectQuery(classIndex: rowClass.index, predicate: compiled.predicate)
        guard let sort = question.sort else {
            return try QueryExecution(query.counted, in: read).count()
        }
        query.sort = try SortKey.parse(
            list: sort, root: .objects(classIndex: rowClass.index), schema: read.rows)
        query.predicate = nil
        var found = 0
        try QueryExecution(query, in: read).run(limit: 50) { _, _ in
            found += 1
            return true
        }
        return found
    }

    /// Asks each question again and again; `label` says in which state the store is.
    func run(_ label: String, comparesLoops: Bool) throws {
        let arrays = comparesLoops ? try PlainArrays(read, rowClass) : nil
        for question in try questions()
        where arguments.only.isEmpty || arguments.only == question.name {
            var times: [UInt64] = []
            var first: UInt64 = 0
            for round in 0..<arguments.rounds + 2 {
                let start = monotonicNanoseconds()
                let found = try ask(question)
                let time = monotonicNanoseconds() - start
                if arguments.objectCount == 1_000_000, let expected = question.expected,
                    found != expected
                {
                    throw Failure(
                        description: "\(question.filter) found \(found) and not \(expected)")
                }
                if round == 0 { first = time }
                // The first reads rows, the second builds columns.
                if round > 1 { times.append(time) }
            }
            times.sort()
            if comparesLoops { report("cold-\(question.name)", perRow(first), "ns/row") }
            report("\(label)-\(question.name)", milliseconds(times[0]), "ms")
            report("\(label)-\(question.name)-median", milliseconds(times[times.count / 2]), "ms")
            guard let loop = arrays?.loop(question.name, question.text, cityKey: 438) else {
                continue
            }
            var best = UInt64.max
            for _ in 0..<arguments.rounds {
                let start = monotonicNanoseconds()
                let found = loop()
                best = min(best, monotonicNanoseconds() - start)
                if found < 0 { throw Failure(description: "no plain loop counts so few") }
            }
            report("loop-\(question.name)", milliseconds(best), "ms")
            report(
                "to-loop-\(question.name)", Double(times[0]) / Double(max(best, 1)), "×")
        }
    }

    private func milliseconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1e6 }

    private func perRow(_ nanoseconds: UInt64) -> Double {
        Double(nanoseconds) / Double(arguments.objectCount)
    }

    // MARK: By keys

    /// Measures an equality by the index, parsed each time: the median of some passes with names of their own,
    /// since each takes so little time that it may fall into a slow moment of the machine.
    func byIndex() throws {
        var draws = SeededGenerator(seed: 1)
        var found = 0
        let passCount = 5
        let passLength = 20_000
        let count = passCount * passLength
        var questions: [Question] = []
        for _ in 0..<count {
            let name = try text(1, of: Int64(draws.next() % UInt64(arguments.objectCount)))
            questions.append(Question(name: "index", filter: "name == '\(name)'"))
        }
        var times: [UInt64] = []
        var works: [UInt64] = []
        for pass in 0..<passCount {
            let start = monotonicNanoseconds()
            let startOfWork = processorNanoseconds()
            for question in questions[pass * passLength..<(pass + 1) * passLength] {
                found += try ask(question)
            }
            times.append(monotonicNanoseconds() - start)
            works.append(processorNanoseconds() - startOfWork)
        }
        func median(_ passes: [UInt64]) -> Double {
            Double(passes.sorted()[passCount / 2]) / Double(passLength) / 1000
        }
        report("index-name", median(times), "µs")
        report("index-name-cpu", median(works), "µs")
        report("index-name-found", Double(found) / Double(count), "objects")
    }

    /// Random objects by their primary key, with seven fields read of each.
    func byPrimaryKey() throws {
        // The key map is resident: a table that leads to nearly all objects, filled before.
        var sizeLog2 = 10
        while 1 << sizeLog2 < 2 * arguments.objectCount { sizeLog2 += 1 }
        let cache = PrimaryKeyCache(entryCountLog2: sizeLog2)
        var draws = SeededGenerator(seed: 2)
        let count = 1_000_000
        var sum: UInt64 = 0
        for id in 0..<arguments.objectCount { sum &+= try sumOfFields(Int64(id), cache) }
        let start = monotonicNanoseconds()
        let startOfWork = processorNanoseconds()
        for _ in 0..<count {
            let id = Int64(draws.next() % UInt64(arguments.objectCount))
            sum &+= try sumOfFields(id, cache)
        }
        let time = monotonicNanoseconds() - start
        let work = processorNanoseconds() - startOfWork
        report("primary-key", Double(time) / Double(count) / 1000, "µs")
        report("primary-key-cpu", Double(work) / Double(count) / 1000, "µs")
        if sum == 0 { throw Failure(description: "nothing was read") }
    }

    private func sumOfFields(_ id: Int64, _ cache: PrimaryKeyCache) throws -> UInt64 {
        var key: (UInt8, UInt64) = (1, (UInt64(bitPattern: id) ^ 1 << 63).bigEndian)
        return try withUnsafeTemporaryAllocation(byteCount: 9, alignment: 1) { bytes in
            bytes.storeBytes(of: key.0, as: UInt8.self)
            withUnsafeBytes(of: &key.1) { bytes[1...].copyBytes(from: $0) }
            guard
                let row = try read.find(
                    rowClass, primaryKey: UnsafeRawBufferPointer(bytes), cache: cache)?.row
            else { throw Failure(description: "no person \(id)") }
            var sum = UInt64(rowClass.field(1, in: row).heap.count)
            sum &+= UInt64(rowClass.field(2, in: row).heap.count)
            sum &+= UInt64(bitPattern: rowClass.field(3, in: row).load(Int64.self))
            sum &+= rowClass.field(4, in: row).load(UInt64.self)
            sum &+= UInt64(rowClass.field(5, in: row).load(UInt8.self))
            let city = rowClass.field(6, in: row)
            sum &+= city.isNull ? 0 : city.load(UInt64.self)
            sum &+= UInt64(CollectionView(rowClass.field(7, in: row).heap, element: .string).count)
            return sum
        }
    }
}
