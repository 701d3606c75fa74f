import HoldfastServiceSupport
import HoldfastTestSupport

/// A random request of ann's that writes, and what a model expects of it.
struct WriteRequest: CustomStringConvertible {
    /// What becomes of a request.
    enum Outcome: Equatable, CustomStringConvertible {
        case done
        /// The codes that its problem may have.
        case refused(Set<String>)
        /// The code of each line that is not taken.
        case lines([Int64: String])

        var description: String {
            switch self {
            case .done: "done"
            case .refused(let codes): "refused: \(codes.sorted())"
            case .lines(let codes):
                "lines refused: \(codes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })"
            }
        }
    }

    private static let patchType = "application/json-patch+json"

    private enum Kind {
        case whole
        /// An import of lines, behind a header or none.
        case lines(isAtomic: Bool, hasHeader: Bool)
    }

    private(set) var method: String
    private(set) var target: String
    private(set) var body: String?
    private(set) var type = "application/json"
    /// The object that the reply shows, if there is one.
    private(set) var shown: String?
    /// The object of the outbox that it shows.
    var posted: WriteModel.Key?
    /// How many objects the page of the outbox has, at most, behind which it acknowledges.
    var pageCount: Int?
    private var steps: [WriteModel.Step]
    private var kind = Kind.whole

    var description: String { "\(method) \(target) \(body ?? "")" }

    init(_ method: String, _ target: String, _ body: String?, _ steps: [WriteModel.Step]) {
        (self.method, self.target, self.body, self.steps) = (method, target, body, steps)
    }

    /// Runs it on a model, which has done then what is to be done.
    func run(on model: inout WriteModel) -> Outcome {
        if case .lines(let isAtomic, let hasHeader) = kind {
            return runLines(isAtomic, hasHeader, on: &model)
        }
        var faults: Set<String> = []
        for step in steps {
            do throws(WriteModel.Refusal) { try model.checkNames(step) } catch {
                faults.insert(error.code)
            }
        }
        // What a JSON patch takes a value from has to be there.
        if type == Self.patchType, faults.contains("unknown-property") {
            faults.insert("path-missing")
        }
        if !faults.isEmpty { return .refused(faults) }
        let before = model
        do throws(WriteModel.Refusal) {
            for step in steps { try model.run(step) }
            try model.judge()
            return .done
        } catch {
            model = before
            return .refused([error.code])
        }
    }

    private func runLines(
        _ isAtomic: Bool, _ hasHeader: Bool, on model: inout WriteModel
    ) -> Outcome {
        if case .write(let key, let draft, _)? = steps.first {
            if !model.access.knows(key.className) { return .refused(["unknown-class"]) }
            if hasHeader, !draft.keys.allSatisfy({ model.access.knows($0, of: key.className) }) {
                return .refused(["unknown-column"])
            }
        }
        let start = model
        var refused: [Int64: String] = [:]
        for (index, step) in steps.enumerated() {
            let before = model
            do throws(WriteModel.Refusal) {
                try model.checkNames(step)
                try model.run(step)
                if !isAtomic { try model.judge() }
            } catch {
                model = before
                refused[Int64(index + (hasHeader ? 2 : 1))] = error.code
            }
        }
        guard isAtomic else { return .lines(refused) }
        do throws(WriteModel.Refusal) {
            try model.judge()
            if refused.isEmpty { return .lines([:]) }
        } catch {}
        model = start
        return .refused(["nothing-imported"])
    }

    /// Tells what became of it.
    func outcome(of reply: HTTPClient.Reply) -> Outcome {
        let json = QueryJSON(reply.text)
        let code = json?["code"]?.string ?? "none"
        if case .lines(false, _) = kind, reply.status == 200 || code == "nothing-imported" {
            let errors = json?["errors"]?.elements ?? []
            return .lines(
                Dictionary(
                    errors.map { ($0["line"]?.int ?? 0, $0["code"]?.string ?? "") },
                    uniquingKeysWith: { first, _ in first }))
        }
        guard reply.status < 300 else { return .refused([code]) }
        if case .lines = kind { return .lines([:]) }
        return .done
    }

    // MARK: Making one

    /// Makes a request about what is there or not.
    static func make(
        _ model: WriteModel, _ random: inout SeededGenerator
    ) -> WriteRequest {
        var maker = Maker(model: model, random: random)
        defer { random = maker.random }
        return maker.make()
    }

    struct Maker {
        let model: WriteModel
        var random: SeededGenerator

        mutating func chance(_ percent: Int) -> Bool {
            Int.random(in: 0..<100, using: &random) < percent
        }

        mutating func pick<T>(_ values: [T]) -> T {
            values[Int.random(in: values.indices, using: &random)]
        }

        mutating func className() -> String { pick(["List", "Task"]) }

        mutating func key(_ className: String) -> WriteModel.Key {
            let seen = model.world.keys.filter { $0.className == className && model.sees($0) }
            if chance(70), !seen.isEmpty { return pick(seen.sorted()) }
            return WriteModel.Key(className: className, id: .random(in: 1...9, using: &random))
        }

        /// The key of a link.
        mutating func link() -> Int64 {
            chance(4) ? 99 : key("List").id
        }

        mutating func value(_ name: String, of key: WriteModel.Key? = nil) -> QueryJSON {
            switch name {
            case "vault", "box", "boxes":
                return stored(name, of: key ?? WriteModel.Key(className: "List", id: 1))
            case "open", "done": return .bool(chance(50))
            case "rank": return .int(.random(in: 0...4, using: &random))
            case "owner": return pick([.string("ann"), .string("ann"), .string("bob"), .null])
            case "text": return pick([.string("x"), .string("y"), .null])
            case "others":
                return .array((0..<pick([0, 1, 2, 3])).map { _ in .int(link()) })
            default: return chance(20) ? .null : .int(link())
            }
        }

        /// - `isWhole`: Whether the request states whole values. In a merge patch, null removes an entry of a map.
        mutating func draft(_ key: WriteModel.Key, isWhole: Bool) -> WriteModel.Object {
            var draft: WriteModel.Object = [:]
            func isFit(_ name: String) -> Bool {
                isWhole || name == "boxes" || Self.flat.contains(name)
            }
            let names = WriteModel.names(of: key, in: model).filter(isFit)
            // What they read, with a change.
            if model.sees(key), chance(60) {
                for name in names { draft[name] = model.shown(name, of: key) }
            }
            let all = WriteModel.names(of: key.className).filter(isFit)
            for _ in 0..<pick([0, 1, 1, 2, 3]) {
                let name = chance(92) && !names.isEmpty ? pick(names) : pick(all)
                draft[name] = value(name, of: key)
            }
            if chance(2) { draft["nothing"] = .int(1) }
            return draft
        }

        mutating func form() -> WriteForm { pick([.create, .create, .merge, .replace, .ignore]) }

        func text(_ draft: WriteModel.Object, id: Int64? = nil) -> String {
            var draft = draft
            if let id { draft["id"] = .int(id) }
            return QueryJSON.object(draft).text
        }

        mutating func make() -> WriteRequest {
            switch Int.random(in: 0..<24, using: &random) {
            case 0...2: return create()
            case 3...5: return put()
            case 6...8: return merge()
            case 9: return patch()
            case 10, 11: return delete()
            case 12: return bulk()
            case 13, 14: return transaction()
            case 15: return lines()
            case 16: return table()
            case 17, 18: return element()
            case 19...21: return post()
            case 22: return acknowledge()
            default: return project()
            }
        }

        mutating func create() -> WriteRequest {
            let key = key(className())
            let form = form()
            let draft = draft(key, isWhole: form.statesWhole)
            var request = WriteRequest(
                "POST", "/v1/classes/\(key.className)/objects?mode=\(form.rawValue)",
                text(draft, id: key.id), [.write(key, draft, form)])
            request.shown = path(key)
            return request
        }

        func path(_ key: WriteModel.Key) -> String {
            "/v1/classes/\(key.className)/objects/\(key.id)"
        }

        mutating func put() -> WriteRequest {
            let key = key(className())
            let draft = draft(key, isWhole: true)
            var request = WriteRequest(
                "PUT", path(key), text(draft), [.write(key, draft, .replace)])
            request.shown = path(key)
            return request
        }

        mutating func merge() -> WriteRequest {
            let key = key(className())
            let draft = draft(key, isWhole: false)
            let mayCreate = chance(30)
            var request = WriteRequest(
                "PATCH", path(key) + (mayCreate ? "?upsert=true" : ""), text(draft),
                [.write(key, draft, mayCreate ? .merge : .update)])
            request.shown = path(key)
            return request
        }

        mutating func patch() -> WriteRequest {
            let key = key(className())
            let draft = draft(key, isWhole: true)
            var steps: [WriteModel.Step] = []
            var operations: [String] = []
            func add(_ operation: String, _ name: String, _ value: QueryJSON) {
                operations.append(
                    "{\"op\":\"\(operation)\",\"path\":\"/\(name)\",\"value\":\(value.text)}")
            }
            if chance(40) {
                let name = pick(WriteModel.names(of: key.className))
                let value = chance(60) ? model.shown(name, of: key) : value(name, of: key)
                steps.append(.test(key, name, value))
                add("test", name, value)
            }
            for (name, value) in draft.sorted(by: { $0.key < $1.key }) {
                add("replace", name, value)
            }
            steps.append(.write(key, draft, .update))
            var request = WriteRequest(
                "PATCH", path(key), "[\(operations.joined(separator: ","))]", steps)
            request.type = WriteRequest.patchType
            request.shown = path(key)
            return request
        }

        mutating func delete() -> WriteRequest {
            let key = key(className())
            return WriteRequest("DELETE", path(key), nil, [.delete(key)])
        }

        mutating func bulk() -> WriteRequest {
            let name = className()
            let property = pick(name == "List" ? ["rank", "open", "owner"] : ["done", "text"])
            let filter = WriteModel.Filter(name: property, value: value(property))
            let path = "/v1/classes/\(name)/objects?filter=" + RuleRequest.escaped(filter.text)
            guard chance(60) else {
                return WriteRequest("DELETE", path, nil, [.bulk(name, filter, nil)])
            }
            let changed = pick(WriteModel.names(of: name).filter { Self.flat.contains($0) })
            let draft = [changed: value(changed)]
            return WriteRequest("PATCH", path, text(draft), [.bulk(name, filter, draft)])
        }

        mutating func transaction() -> WriteRequest {
            var steps: [WriteModel.Step] = []
            var operations: [String] = []
            for _ in 0..<pick([1, 2, 3]) {
                let key = key(className())
                let head = "\"class\":\"\(key.className)\",\"id\":\(key.id)"
                if chance(20) {
                    steps.append(.delete(key))
                    operations.append("{\"op\":\"delete\",\(head)}")
                    continue
                }
                let (name, form): (String, WriteForm) = pick([
                    ("create", .create), ("put", .replace), ("merge", .merge), ("patch", .update),
                ])
                let draft = draft(key, isWhole: form.statesWhole)
                steps.append(.write(key, draft, form))
                operations.append(
                    form == .create
                        ? "{\"op\":\"create\",\"class\":\"\(key.className)\",\"value\":\(text(draft, id: key.id))}"
                        : "{\"op\":\"\(name)\",\(head),\"value\":\(text(draft))}")
            }
            return WriteRequest(
                "POST", "/v1/transactions",
                "{\"operations\":[\(operations.joined(separator: ","))]}", steps)
        }

        mutating func lines() -> WriteRequest {
            let (name, form, isAtomic) = (className(), form(), chance(30))
            var steps: [WriteModel.Step] = []
            var lines: [String] = []
            var taken: Set<WriteModel.Key> = []
            for _ in 0..<pick([1, 2, 4]) {
                let key = key(name)
                // Which of two lines of an object waits for a third would be another test's.
                guard taken.insert(key).inserted else { continue }
                var draft = draft(key, isWhole: form.statesWhole)
                for (name, value) in draft where WriteModel.isForward(value, name, key, model) {
                    draft[name] = nil
                }
                steps.append(.write(key, draft, form))
                lines.append(text(draft, id: key.id))
            }
            return imported(name, form, lines, steps, isAtomic: isAtomic, hasHeader: false)
        }

        /// The same as CSV, of which every line states the same properties.
        mutating func table() -> WriteRequest {
            let (name, form, isAtomic) = (className(), form(), chance(30))
            let fitting = WriteModel.names(of: name).filter {
                $0 != "others" && Self.flat.contains($0)
            }
            let known = fitting.filter { model.access.knows($0, of: name) }
            let columns = (chance(90) ? known : fitting).filter { _ in chance(75) }
            var steps: [WriteModel.Step] = []
            var lines = [(["id"] + columns).joined(separator: ",")]
            var taken: Set<WriteModel.Key> = []
            for _ in 0..<pick([1, 2, 4]) {
                let key = key(name)
                guard taken.insert(key).inserted else { continue }
                let shown =
                    model.sees(key) && chance(60) ? WriteModel.names(of: key, in: model) : []
                var draft: WriteModel.Object = [:]
                for column in columns {
                    let value =
                        shown.contains(column) && chance(75)
                        ? model.shown(column, of: key) : value(column)
                    draft[column] =
                        WriteModel.isForward(value, column, key, model) ? .null : value
                }
                steps.append(.write(key, draft, form))
                let cells = columns.map { column -> String in
                    guard let value = draft[column], value != .null else { return "" }
                    return value.string ?? value.text
                }
                lines.append((["\(key.id)"] + cells).joined(separator: ","))
            }
            return imported(name, form, lines, steps, isAtomic: isAtomic, hasHeader: true)
        }

        /// An import of lines of JSON, or of CSV where they have a header.
        func imported(
            _ name: String, _ form: WriteForm, _ lines: [String], _ steps: [WriteModel.Step],
            isAtomic: Bool, hasHeader: Bool
        ) -> WriteRequest {
            var request = WriteRequest(
                "POST",
                "/v1/classes/\(name)/import?mode=\(form.rawValue)"
                    + (isAtomic ? "&atomic=true" : ""),
                lines.joined(separator: hasHeader ? "\r\n" : "\n"), steps)
            request.type = hasHeader ? "text/csv" : "application/x-ndjson"
            request.kind = .lines(isAtomic: isAtomic, hasHeader: hasHeader)
            return request
        }

        mutating func element() -> WriteRequest {
            let key = key("List")
            let path = path(key) + "/properties/others/elements"
            let index = Int.random(in: 0...3, using: &random)
            let id = link()
            switch Int.random(in: 0..<3, using: &random) {
            case 0: return WriteRequest("POST", path, "\(id)", [.element(key, .add(id))])
            case 1:
                return WriteRequest(
                    "PUT", path + "/\(index)", "\(id)", [.element(key, .put(index, id))])
            default:
                return WriteRequest(
                    "DELETE", path + "/\(index)", nil, [.element(key, .delete(index))])
            }
        }

        mutating func project() -> WriteRequest {
            let key = key("Task")
            var draft: WriteModel.Object = [:]
            if chance(60) { draft["text"] = value("text") }
            if chance(70) { draft["far"] = value("rank") }
            return WriteRequest(
                "PATCH", "/v1/projections/Shown/objects/\(key.id)", text(draft),
                [.project(key, draft)])
        }
    }
}

extension WriteModel {
    /// The properties of a class beside its key.
    static func names(of className: String) -> [String] { PlainAccess.properties(className) }

    /// Those that the user knows and sees of an object.
    static func names(of key: Key, in model: WriteModel) -> [String] {
        let hidden =
            model.base[key].map { model.access.hidden(key, $0, in: model.base) } ?? []
        return names(of: key.className).filter {
            model.access.knows($0, of: key.className) && !hidden.contains($0)
        }
    }

    /// Whether a value links to an object that a line of an import may make.
    static func isForward(
        _ value: QueryJSON, _ name: String, _ key: Key, _ model: WriteModel
    ) -> Bool {
        guard let target = PlainAccess.target(of: name, key.className), target == key.className
        else { return false }
        return (value.elements + [value]).compactMap(\.int).contains {
            model.world[Key(className: target, id: $0)] == nil && $0 != 99
        }
    }
}
