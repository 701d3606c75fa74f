import HoldfastServiceSupport

extension WriteModel {
    /// A part of a request.
    enum Step {
        case write(Key, Object, WriteForm)
        case delete(Key)
        /// The `test` of a JSON patch.
        case test(Key, String, QueryJSON)
        /// A change through a projection that shows `text`, and `list.rank` as `far`.
        case project(Key, Object)
        /// A change of all that a filter finds, or their deletion.
        case bulk(String, Filter, Object?)
        case element(Key, ElementAction)
        /// Takes so many of those that are seen out of the outbox, the oldest first.
        case acknowledge(Int)
    }

    /// A filter on one property.
    struct Filter {
        var name: String
        /// Which values it finds.
        var value: QueryJSON

        var text: String {
            if case .int(let number) = value, name == "rank" { return "rank < \(number)" }
            return "\(name) == \(value == .null ? "nil" : value.text)"
        }

        func finds(_ shown: QueryJSON) -> Bool {
            if name == "rank", let bound = value.int {
                return shown.int.map { $0 < bound } ?? false
            }
            return shown == value
        }
    }

    /// What is done with an element of `others`.
    enum ElementAction {
        case add(Int64)
        case put(Int, Int64)
        case delete(Int)
    }

    /// What is wrong with a step by its names alone.
    func checkNames(_ step: Step) throws(Refusal) {
        switch step {
        case .write(let key, let draft, _): try checkNames(key.className, draft.keys)
        case .delete(let key): try checkNames(key.className, [])
        case .test(let key, let name, _): try checkNames(key.className, [name])
        case .bulk(let name, let filter, let draft):
            try checkNames(name, [])
            guard access.knows(filter.name, of: name) else { throw Refusal(code: "invalid-query") }
            try checkNames(name, draft?.keys.sorted() ?? [])
        case .element(let key, _): try checkNames(key.className, ["others"])
        case .acknowledge: try checkNames("Mail", [])
        case .project:
            let isKnown =
                access.knows("text", of: "Task") && access.knows("list", of: "Task")
                && access.knows("rank", of: "List")
            if !isKnown { throw Refusal(code: "unknown-projection") }
        }
    }

    /// Does a step whose names are known.
    mutating func run(_ step: Step) throws(Refusal) {
        switch step {
        case .write(let key, let draft, let form): try write(key, draft, form)
        case .delete(let key): try delete(key)
        case .test(let key, let name, let value):
            guard sees(key) else { throw .notFound }
            // A value that can't be null is none where it is hidden, and equals nothing.
            let initial = PlainAccess.initial(name, key.className)
            let isNone = shown(name, of: key) == .null && initial != .null
            if isNone || shown(name, of: key) != value { throw Refusal(code: "test-failed") }
        case .bulk(let className, let filter, let draft):
            let found = world.keys.sorted().filter {
                $0.className == className && sees($0) && filter.finds(shown(filter.name, of: $0))
            }
            for key in found {
                if let draft { try write(key, draft, .update) } else { try delete(key) }
            }
        case .element(let key, let action):
            guard sees(key) else { throw .notFound }
            var links = shown("others", of: key).elements
            switch action {
            case .add(let id): links.append(.int(id))
            case .put(let index, let id):
                guard links.indices.contains(index) else {
                    throw Refusal(code: "element-not-found")
                }
                links[index] = .int(id)
            case .delete(let index):
                guard links.indices.contains(index) else {
                    throw Refusal(code: "element-not-found")
                }
                links.remove(at: index)
            }
            try write(key, ["others": .array(links)], .update)
        case .acknowledge(let count):
            for key in waiting.filter(sees).prefix(count) { try delete(key) }
        case .project(let key, let draft):
            guard sees(key) else { throw .notFound }
            let far = shown("list", of: key).int
            if draft["far"] != nil, far == nil { throw Refusal(code: "null-on-path") }
            if let text = draft["text"] { try write(key, ["text": text], .update) }
            if let rank = draft["far"], let far {
                try write(Key(className: "List", id: far), ["rank": rank], .update)
            }
        }
    }
}
