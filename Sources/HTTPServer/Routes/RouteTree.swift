import Glibc

/// The path segments of all routes, as plain memory.
///
/// Every thread of connections walks it for every request. Were it made of arrays, each step would
/// count references in memory that all threads share, which costs more than the comparisons.
// @unchecked: the memory is filled in `init`, never written afterwards and freed in `deinit`.
final class RouteTree: @unchecked Sendable {
    /// A node while the tree is being built.
    struct Draft {
        var literals: [(bytes: [UInt8], node: Int)] = []
        var parameter: Int?
        var rest: Int?
        /// Route number by method, -1 for none.
        var routes = [Int](repeating: -1, count: Method.allCases.count)
        var hasRoutes = false
    }

    private struct Node {
        var literalStart: Int
        var literalEnd: Int
        /// The node of a parameter and of a rest; -1 for none.
        var parameter: Int
        var rest: Int
        var hasRoutes: Bool
    }

    private struct Literal {
        var start: Int
        var count: Int
        var node: Int
    }

    private struct RouteEntry {
        var parameterStart: Int
        var parameterCount: Int
        var isStreamed: Bool
    }

    private let nodes: UnsafeMutablePointer<Node>
    private let literals: UnsafeMutablePointer<Literal>
    private let text: UnsafeMutablePointer<UInt8>
    /// Route numbers by node and method, -1 for none.
    private let numbers: UnsafeMutablePointer<Int>
    private let routes: UnsafeMutablePointer<RouteEntry>
    private let parameters: UnsafeMutablePointer<Int>
    private let routeCount: Int

    private static let methodCount = Method.allCases.count

    /// Copies the nodes, of which the first is the root. `parameterSegments` has, for each route of the
    /// table, the segment number of each of its parameters.
    init(_ drafts: [Draft], parameterSegments: [[Int]], _ table: [Route]) {
        var literals: [Literal] = []
        var text: [UInt8] = []
        var nodes: [Node] = []
        for draft in drafts {
            let start = literals.count
            for literal in draft.literals {
                literals.append(
                    Literal(start: text.count, count: literal.bytes.count, node: literal.node))
                text += literal.bytes
            }
            nodes.append(
                Node(
                    literalStart: start, literalEnd: literals.count,
                    parameter: draft.parameter ?? -1, rest: draft.rest ?? -1,
                    hasRoutes: draft.hasRoutes))
        }
        var parameters: [Int] = []
        var routes: [RouteEntry] = []
        for (route, segments) in zip(table, parameterSegments) {
            var isStreamed = false
            if case .streamed = route.body { isStreamed = true }
            routes.append(
                RouteEntry(
                    parameterStart: parameters.count, parameterCount: segments.count,
                    isStreamed: isStreamed))
            parameters += segments
        }
        self.nodes = Self.copy(nodes)
        self.literals = Self.copy(literals)
        self.text = Self.copy(text)
        numbers = Self.copy(drafts.flatMap(\.routes))
        self.routes = Self.copy(routes)
        self.parameters = Self.copy(parameters)
        routeCount = routes.count
    }

    private static func copy<Element: BitwiseCopyable>(
        _ elements: [Element]
    ) -> UnsafeMutablePointer<Element> {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
        for (index, element) in elements.enumerated() { (memory + index).initialize(to: element) }
        return memory
    }

    deinit {
        nodes.deallocate()
        literals.deallocate()
        text.deallocate()
        numbers.deallocate()
        routes.deallocate()
        parameters.deallocate()
    }

    /// The route of a node for a method, or -1.
    func route(_ node: Int, _ method: Method) -> Int {
        numbers[node * Self.methodCount + Int(method.rawValue)]
    }

    /// The segment number of a route's parameter.
    ///
    /// - Precondition: The route has such a parameter (traps).
    func segment(ofParameter index: Int, route: Int) -> Int {
        precondition(route >= 0 && route < routeCount)
        precondition(index >= 0 && index < routes[route].parameterCount)
        return parameters[routes[route].parameterStart + index]
    }

    /// The segment number of a route's last parameter; nil when it has none.
    func lastParameterSegment(route: Int) -> Int? {
        precondition(route >= 0 && route < routeCount)
        let entry = routes[route]
        return entry.parameterCount == 0
            ? nil : parameters[entry.parameterStart + entry.parameterCount - 1]
    }

    /// Whether a route's body is given to a sink.
    func isStreamed(route: Int) -> Bool {
        precondition(route >= 0 && route < routeCount)
        return routes[route].isStreamed
    }

    /// The node of a whole path, or -1.
    func find(_ segments: UnsafeBufferPointer<RequestText>) -> Int { find(0, segments, 0) }

    /// It goes back to a parameter when a literal leads nowhere.
    private func find(
        _ node: Int, _ segments: UnsafeBufferPointer<RequestText>, _ index: Int
    ) -> Int {
        let entry = nodes[node]
        if index == segments.count { return entry.hasRoutes ? node : -1 }
        let segment = segments[index]
        for number in entry.literalStart..<entry.literalEnd {
            let literal = literals[number]
            guard literal.count == segment.count,
                areEqual(text + literal.start, segment.bytes.baseAddress, literal.count)
            else { continue }
            let found = find(literal.node, segments, index + 1)
            if found >= 0 { return found }
        }
        guard !segment.isEmpty else { return -1 }
        if entry.parameter >= 0 {
            let found = find(entry.parameter, segments, index + 1)
            if found >= 0 { return found }
        }
        return entry.rest
    }
}
