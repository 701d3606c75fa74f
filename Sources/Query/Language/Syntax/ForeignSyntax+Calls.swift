/// Calls, such as `name.contains('x')`, `COUNT(cities)` and `date('2026-06-30')`.
extension ForeignSyntax {
    /// The comparison, the path or the date that a call at the fault stands for.
    var call: Advice? {
        guard source[start] == UInt8(ascii: "("), let end = source.parenthesesEnds()[start],
            let callee = excerpt(source.path(endingAt: start)), end - start <= 120
        else { return nil }
        let names = callee.split(separator: ".", omittingEmptySubsequences: false)
        let receiver = names.dropLast().joined(separator: ".")
        let key = Self.key(names.last ?? "")
        let arguments = source.split(start + 1..<end - 1, at: UInt8(ascii: ",")).map {
            source.text($0)
        }
        if Self.dates.contains(key) { return date(arguments[0]) }
        if key == "objectid" { return ("write oid(…) with the digits without quotes", nil) }
        // The subject is before the dot, as in `cities.count()`, or the first argument, as in `COUNT(cities)`.
        let subject = receiver.isEmpty ? arguments[0] : receiver
        let rest = receiver.isEmpty ? Array(arguments.dropFirst()) : arguments.filter { $0 != "" }
        guard SourceText(subject).isPath else { return nil }
        if let known = Self.operators[key] {
            guard rest.count == 1, !rest[0].contains(where: "[({/".contains) else { return nil }
            return ("write \(subject) \(known) \(rest[0])", nil)
        }
        if Self.cases.contains(key) {
            return ("write [c] behind the operator to ignore case: \(subject) ==[c] 'text'", nil)
        }
        switch Syntax.Step.Kind(operation: "@" + (Self.counterparts[key] ?? key)) {
        case .count? where rest.isEmpty: return ("write \(subject).@count", nil)
        case .aggregate(let function)?
        where rest.count <= (receiver.isEmpty ? 0 : 1) && rest.allSatisfy { SourceText($0).isPath }:
            // The property of objects stands behind: `cities.@max.population`.
            var path = subject.split(separator: ".") + rest.map { $0[...] }
            let isOfValues = rest.isEmpty && (path.count == 1 || !receiver.isEmpty)
            path.insert(function.name[...], at: isOfValues ? path.count : path.count - 1)
            return ("write \(path.joined(separator: "."))", nil)
        default: return nil
        }
    }

    private static let counterparts = [
        "average": "avg", "length": "count", "len": "count", "charlength": "count",
    ]

    private static let dates: Set<String> = ["date", "datetime", "timestamp", "isodate", "todate"]

    private static let cases: Set<String> = [
        "lower", "upper", "lcase", "ucase", "tolower", "toupper", "tolowercase", "touppercase",
        "lowercased", "uppercased",
    ]

    /// Returns the advice for a function that makes a date of a text.
    private func date(_ argument: String) -> Advice {
        let text = argument.filter { $0 != "'" && $0 != "\"" }
        for form in [text, text + "T00:00:00Z"] {
            var lexer = Lexer(SourceText(form))
            if let token = try? lexer.next(), token.kind == .timestamp, token.end == form.utf8.count
            {
                return ("write \(form), a date without a function", nil)
            }
        }
        return ("a date is written 2026-11-20T06:38:58Z, the present time now()", nil)
    }
}
