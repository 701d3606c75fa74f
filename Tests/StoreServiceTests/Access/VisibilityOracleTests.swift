import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastPlainQuery
import HoldfastQuery
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@Suite("Replies by rules, and those of a store without what they do not admit")
struct VisibilityOracleTests {
    /// How many requests each shard compares; with both it is 20,000 in `make soak`.
    private static let requestCount = SeededGenerator.isSoak ? 10_000 : 600
    private static let shardCount: UInt64 = 2

    @Test("every reply is that of the store without the unreadable", arguments: 0..<shardCount)
    func oracle(shard: UInt64) throws {
        let first = SeededGenerator.testSeed("replies by rules, shard \(shard)")
        var seed = first &+ shard
        var requestCount = 0
        var objectCount = 0
        while requestCount < Self.requestCount {
            var options = StoreOptions()
            options.columns.useCountMin = 1
            options.columns.objectCountMin = 0
            options.columns.sharedMicrosecondsMin = 0
            let engine = seed % 4 == 3 ? EngineCase.lmdb : .memory
            var twins = VisibilityModels(seed: seed)
            let whole = try TestService(engine, classes: twins.classes, options: options)
            let part = try TestService(classes: twins.classes, options: options)
            try twins.fill(whole.store, part.store)
            whole.caller = Caller(token: 1, address: "", visibility: ModelVisibility(twins))
            var random = SeededGenerator(seed: seed &+ 1)
            for _ in 0..<40 {
                let request = Request.make(&twins, &random)
                requestCount += 1
                let (own, other) = (request.replies(of: whole), request.replies(of: part))
                objectCount += other.count
                // Versions and cursors are aside.
                let difference = JSONComparison(
                    aside: ["version", "$version", "next"], hidden: twins.hidden
                ).difference(.array(own), .array(other))
                if let difference {
                    Issue.record("seed \(seed): \(request)\n  \(difference)\n  \(twins.text)")
                    return
                }
            }
            seed &+= Self.shardCount
        }
        print("replies by rules, seeds \(first) to \(seed): \(requestCount), \(objectCount) pages")
        #expect(objectCount > requestCount)
    }

    /// A random request.
    private struct Request: CustomStringConvertible {
        enum Kind {
            case pages
            case aggregate(String)
            case groups(String, String)
            case sections(String, Int)
            case object(Value)
            case property(String, Value)
        }
        var kind: Kind
        var className: String
        var text = QueryText()

        var description: String {
            "\(kind) \(className) \(text.filter ?? "") \(text.arguments.map(\.value)) by "
                + "\(text.sort ?? "") \(text.distinct ?? "") limit \(text.limit ?? 0), expand "
                + "\(text.expand ?? "") fields \(text.fields ?? "") count \(text.counts)"
        }

        static func make(
            _ twins: inout VisibilityModels, _ random: inout SeededGenerator
        ) -> Request {
            func chance(_ percent: Int) -> Bool {
                Int.random(in: 0..<100, using: &random) < percent
            }
            let query = twins.query()
            let definition = twins.classes.first { $0.name == query.className }
            let properties = definition?.properties ?? []
            let scalars = properties.filter { property in
                if case .single(.scalar(let type)) = property.type { type != .mixed } else { false }
            }.map(\.name)
            let others = properties.map(\.name).filter { !scalars.contains($0) }
            let scalar = scalars.randomElement(using: &random) ?? "id"
            var text = QueryText()
            if chance(70) { (text.filter, text.arguments) = (query.text, query.arguments) }
            let isStaged = ["LIMIT(", "SORT(", "DISTINCT("].contains { query.text.contains($0) }
            text.limit = Int.random(in: 1...7, using: &random)
            text.counts = chance(30)
            let keys = twins.objects[query.className] ?? []
            let key =
                keys.randomElement(using: &random) ?? .int(Int64.random(in: 1...30, using: &random))
            var kind = Kind.pages
            switch Int.random(in: 0..<10, using: &random) {
            case 0: kind = .aggregate("count,min(\(scalar)),max(\(scalar))")
            case 1: kind = .groups("count,max(\(scalar))", scalar)
            case 2: kind = .sections(scalar, Int.random(in: 0...3, using: &random))
            case 3: kind = .object(key)
            case 4 where !others.isEmpty:
                kind = .property(others.randomElement(using: &random) ?? "", key)
            default:
                if !isStaged || text.filter == nil {
                    if chance(40) { text.sort = chance(50) ? scalar : "-" + scalar }
                    if chance(15) { text.distinct = scalar }
                }
                let links = properties.filter { property in
                    if case .object? = property.type.element { true } else { false }
                }.map(\.name)
                if chance(30) { text.expand = links.randomElement(using: &random) }
            }
            return Request(kind: kind, className: query.className, text: text)
        }

        /// The pages of the reply, or what is wrong.
        func replies(of service: TestService) -> [QueryJSON] {
            do {
                switch kind {
                case .pages:
                    return try pages(
                        service, .objects(.ofClass(className)), counts: text.counts)
                case .aggregate(let operations):
                    var text = text
                    (text.limit, text.counts) = (nil, false)
                    return try [
                        service.page(
                            .aggregate(
                                .ofClass(className), AggregateText(operations: operations)), text)?
                            .json ?? .null
                    ]
                case .groups(let operations, let by):
                    return try pages(
                        service,
                        .aggregate(
                            .ofClass(className), AggregateText(operations: operations, by: by)),
                        counts: false)
                case .sections(let by, let count):
                    return try pages(
                        service, .sections(.ofClass(className), by: by, objectCount: count),
                        counts: text.counts)
                case .object(let key):
                    let text = try service.object(ObjectAddress(className, Self.text(key)))
                    return [text.flatMap { QueryJSON($0) } ?? .null]
                case .property(let name, let key):
                    var text = QueryText()
                    text.limit = self.text.limit
                    let page = try service.page(
                        of: name, of: ObjectAddress(className, Self.text(key)), text)
                    return [page?.json ?? .null]
                }
            } catch let fault as RequestFault {
                return [.string("\(fault.kind) \(fault.code) \(fault.detail)")]
            } catch {
                return [.string("\(error)")]
            }
        }

        private func pages(
            _ service: TestService, _ subject: PageRequest.Subject, counts: Bool
        ) throws -> [QueryJSON] {
            var text = text
            text.counts = counts
            var pages: [QueryJSON] = []
            repeat {
                guard let page = try service.page(subject, text) else { return pages }
                pages.append(page.json)
                text.cursor = page.next
            } while text.cursor != nil && pages.count < 100
            return pages
        }

        private static func text(_ key: Value) -> String {
            switch key {
            case .int(let number): "\(number)"
            case .string(let text): text
            case .uuid(let id): "\(id)"
            case .objectID(let id): "\(id)"
            default: ""
            }
        }
    }
}
