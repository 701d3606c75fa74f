/// Finds the route of a request in a tree of path segments that are compared as bytes.
///
/// A literal segment takes precedence over a parameter, and a parameter over a rest. Cost: one comparison for each literal at
/// each level; nothing is allocated, and no reference is counted. Every connection thread walks the tree for every request. In a
/// tree of arrays each step would count references in memory that all threads share, which costs more than the comparisons.
// @unchecked: the memory is filled in `init`, never written afterwards and freed in `deinit`.
package final class Router: @unchecked Sendable {
    /// The reason why a table of routes cannot be used.
    package enum TableError: Error, Equatable {
        case notAPath(String)
        case duplicate(String)
        /// `{name*}` is not the last segment.
        case restNotLast(String)
    }

    enum Match {
        case route(Int)
        /// The path exists, but not with this method. The node has the list of its methods.
        case wrongMethod(node: Int)
        case nothing
    }

    /// A node of the tree. It refers to other nodes by number; −1 means no node.
    private struct Node {
        /// The position in ``text`` of the segment that leads here, for a literal.
        var textStart = 0
        var textCount = 0
        /// The next literal with the same parent.
        var next = -1
        /// The first literal child; then the child for a parameter and for a rest.
        var literal = -1
        var parameter = -1
        var rest = -1
        var hasRoutes = false
    }

    /// The parameters and body of a route.
    private struct Entry {
        var parameterStart: Int
        var parameterCount: Int
        var isStreamed: Bool
    }

    private static let methodCount = Method.allCases.count

    package let routes: [Route]
    /// The methods that each node answers, as the value of `Allow`.
    let allowed: [String]
    private let nodes: UnsafeMutablePointer<Node>
    private let text: UnsafeMutablePointer<UInt8>
    /// Route numbers by node and method; −1 if there is no route.
    private let numbers: UnsafeMutablePointer<Int>
    private let entries: UnsafeMutablePointer<Entry>
    /// The segment numbers of all routes' parameters.
    private let parameters: UnsafeMutablePointer<Int>

    /// Builds the tree.
    ///
    /// - Throws: ``TableError`` if a pattern is malformed or two routes are the same.
    package init(_ routes: [Route]) throws(TableError) {
        var nodes = [Node()]
        var text: [UInt8] = []
        var numbers = [Int](repeating: -1, count: Self.methodCount)
        var entries: [Entry] = []
        var parameters: [Int] = []
        /// Returns the node behind a link of another node; creates it if the link is empty.
        func follow(_ node: Int, _ link: WritableKeyPath<Node, Int>) -> Int {
            if nodes[node][keyPath: link] < 0 {
                nodes[node][keyPath: link] = nodes.count
                nodes.append(Node())
                numbers += [Int](repeating: -1, count: Self.methodCount)
            }
            return nodes[node][keyPath: link]
        }
        func follow(_ node: Int, literal: Substring.UTF8View) -> Int {
            var found = nodes[node].literal
            while found >= 0 {
                let start = nodes[found].textStart
                if text[start..<start + nodes[found].textCount].elementsEqual(literal) {
                    return found
                }
                found = nodes[found].next
            }
            let first = nodes[node].literal
            nodes[node].literal = -1
            let fresh = follow(node, \.literal)
            nodes[fresh].next = first
            nodes[fresh].textStart = text.count
            nodes[fresh].textCount = literal.count
            text += literal
            return fresh
        }
        for (number, route) in routes.enumerated() {
            guard route.pattern.utf8.first == UInt8(ascii: "/") else {
                throw .notAPath(route.pattern)
            }
            var entry = Entry(
                parameterStart: parameters.count, parameterCount: 0, isStreamed: false)
            if case .streamed = route.body { entry.isStreamed = true }
            var node = 0
            let parts = route.pattern.dropFirst().split(
                separator: "/", omittingEmptySubsequences: false)
            for (index, part) in parts.enumerated() {
                guard part.first == "{", part.last == "}" else {
                    node = follow(node, literal: part.utf8)
                    continue
                }
                parameters.append(index)
                entry.parameterCount += 1
                let isRest = part.hasSuffix("*}")
                guard !isRest || index == parts.count - 1 else { throw .restNotLast(route.pattern) }
                node = follow(node, isRest ? \.rest : \.parameter)
            }
            entries.append(entry)
            let slot = node * Self.methodCount + Int(route.method.rawValue)
            guard numbers[slot] < 0 else {
                throw .duplicate("\(route.method.name) \(route.pattern)")
            }
            numbers[slot] = number
            nodes[node].hasRoutes = true
        }
        self.routes = routes
        allowed = nodes.indices.map { node in
            let own = numbers[node * Self.methodCount..<(node + 1) * Self.methodCount]
            let get = own[own.startIndex + Int(Method.get.rawValue)]
            let answersHead = get >= 0 && routes[get].answersHead
            return zip(Method.allCases, own).filter { method, number in
                number >= 0 || (method == .head && answersHead) || method == .options
            }.map { "\($0.0.name)" }.joined(separator: ", ")
        }
        self.nodes = Self.copy(nodes)
        self.text = Self.copy(text)
        self.numbers = Self.copy(numbers)
        self.entries = Self.copy(entries)
        self.parameters = Self.copy(parameters)
    }

    private static func copy<Element: BitwiseCopyable>(
        _ elements: [Element]
    ) -> UnsafeMutablePointer<Element> {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
        memory.initialize(from: elements, count: elements.count)
        return memory
    }

    deinit {
        nodes.deallocate()
        text.deallocate()
        numbers.deallocate()
        entries.deallocate()
        parameters.deallocate()
    }

    private func entry(_ route: Int) -> Entry {
        precondition(route >= 0 && route < routes.count)
        return entries[route]
    }

    /// Returns the segment number of a route's parameter, in the order of its pattern.
    ///
    /// - Precondition: The route has such a parameter (traps).
    func segment(ofParameter index: Int, route: Int) -> Int {
        let entry = entry(route)
        precondition(index >= 0 && index < entry.parameterCount)
        return parameters[entry.parameterStart + index]
    }

    /// Returns the segment number of a route's last parameter; nil if it has none.
    func lastParameterSegment(route: Int) -> Int? {
        let count = entry(route).parameterCount
        return count == 0 ? nil : segment(ofParameter: count - 1, route: route)
    }

    /// Whether a route's body is given to a sink.
    func isStreamed(route: Int) -> Bool { entry(route).isStreamed }

    /// Returns the route of `segments` for `method`.
    func match(_ method: Method, _ segments: borrowing ContiguousArray<RequestText>) -> Match {
        let node = segments.withUnsafeBufferPointer { find(0, $0, 0) }
        guard node >= 0 else { return .nothing }
        let numbers = numbers + node * Self.methodCount
        let number = numbers[Int(method.rawValue)]
        if number >= 0 { return .route(number) }
        if method == .head {
            let get = numbers[Int(Method.get.rawValue)]
            if get >= 0, routes[get].answersHead { return .route(get) }
        }
        return .wrongMethod(node: node)
    }

    /// Returns the node of a whole path, or −1. When a literal leads to no route, it tries the parameter.
    private func find(
        _ node: Int, _ segments: UnsafeBufferPointer<RequestText>, _ index: Int
    ) -> Int {
        let entry = nodes[node]
        if index == segments.count { return entry.hasRoutes ? node : -1 }
        let segment = segments[index]
        var literal = entry.literal
        while literal >= 0 {
            let candidate = nodes[literal]
            if candidate.textCount == segment.count,
                areEqual(text + candidate.textStart, segment.bytes.baseAddress, candidate.textCount)
            {
                let found = find(literal, segments, index + 1)
                if found >= 0 { return found }
            }
            literal = candidate.next
        }
        guard !segment.isEmpty else { return -1 }
        if entry.parameter >= 0 {
            let found = find(entry.parameter, segments, index + 1)
            if found >= 0 { return found }
        }
        return entry.rest
    }
}
