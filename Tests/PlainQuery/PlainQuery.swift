import HoldfastObjectModel

/// A query on the objects of a class.
struct PlainQuery {
    /// What is done to the matches, from left to right.
    enum Suffix {
        case sort([(path: PlainPath, isAscending: Bool)])
        case distinct([PlainPath])
        case limit(Int)
    }

    var className: String
    var predicate: PlainPredicate
    var suffixes: [Suffix] = []
}

extension PlainWorld {
    /// The object keys of a query's result, in its order.
    func keys(_ query: PlainQuery) -> [UInt64] {
        var found = all(query.className).filter { holds(query.predicate, for: $0) }
        for suffix in query.suffixes {
            switch suffix {
            case .limit(let count): found = Array(found.prefix(count))
            case .sort(let keys): sort(&found, keys)
            case .distinct(let paths): keepDistinct(&found, paths)
            }
        }
        return found.map(\.key)
    }

    private func sort(
        _ objects: inout [PlainObject], _ keys: [(path: PlainPath, isAscending: Bool)]
    ) {
        let values = objects.map { object in
            keys.map { read($0.path, from: object).groups.first?.first ?? .null }
        }
        func precedes(_ a: Int, _ b: Int) -> Bool {
            for (place, key) in keys.enumerated() {
                let order = PlainComparison.sortOrder(values[a][place], values[b][place])
                if order != 0 { return (order < 0) == key.isAscending }
            }
            return a < b
        }
        objects = objects.indices.sorted(by: precedes).map { objects[$0] }
    }

    private func keepDistinct(_ objects: inout [PlainObject], _ paths: [PlainPath]) {
        var seen: [[Value]] = []
        objects = objects.filter { object in
            var values: [Value] = []
            for path in paths {
                let value = read(path, from: object).groups.first?.first ?? .null
                // A null link leads nowhere, on the way to several objects or at the end.
                let way = Array(path.hops.prefix { !$0.isMany })
                if follow(way, from: object).contains(where: { $0 == nil }) { return false }
                if case .link = path.type, value == .null { return false }
                values.append(value)
            }
            let isNew = !seen.contains { other in
                zip(values, other).allSatisfy { PlainComparison.sortOrder($0, $1) == 0 }
            }
            if isNew { seen.append(values) }
            return isNew
        }
    }
}
