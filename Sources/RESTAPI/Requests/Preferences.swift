import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

/// The preferences of a client (RFC 7240). Unknown ones are ignored, as the RFC demands.
package struct Preferences: Sendable, Equatable {
    /// `return=minimal`, no object in the reply to a write, and `int64=string`, ints beyond 2^53 as strings.
    var form = ReplyForm()
    /// `wait=25`: seconds that a long poll may take.
    package var waitSeconds: Int?
    /// `max-affected=10`: a change of more objects is refused.
    package var affectedCountMax: Int?

    /// Whether ints beyond 2^53 are strings.
    var quotesLargeInts: Bool { form.quotesLargeInts }

    /// Reads the `Prefer` fields of a request.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for a `max-affected` that is not a number, because to ignore it would
    ///   drop a safeguard.
    package init(_ request: Request) throws(RequestFault) {
        guard request.header(.prefer) != nil else { return }
        var seen: Set<String> = []
        for field in request.headers(.prefer) {
            for part in field.string.split(separator: ",") { try read(part, &seen) }
        }
    }

    private mutating func read(_ part: Substring, _ seen: inout Set<String>) throws(RequestFault) {
        // Parameters after `;` belong to preferences that we do not know.
        let token = part.prefix { $0 != ";" }
        let pieces = token.split(separator: "=", maxSplits: 1)
        guard let first = pieces.first else { return }
        let name = Self.trimmed(first).lowercased()
        // Only the first of a name counts (RFC 7240, section 2).
        guard seen.insert(name).inserted else { return }
        let value = pieces.count < 2 ? "" : Self.unquoted(Self.trimmed(pieces[1]))
        switch name {
        case "return": form.isMinimal = value == "minimal"
        case "int64": form.quotesLargeInts = value == "string"
        case "wait": if let seconds = Int(value), seconds >= 0 { waitSeconds = seconds }
        case "max-affected":
            guard let count = Int(value), count >= 0 else {
                throw .single(
                    .malformed, "invalid-parameter",
                    "'Prefer: max-affected' takes a whole number from 0 up.",
                    partDetail: "'max-affected' takes a whole number from 0 up.",
                    parameter: "Prefer")
            }
            affectedCountMax = count
        default: break
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }

    private static func unquoted(_ text: Substring) -> String {
        text.count >= 2 && text.first == "\"" && text.last == "\""
            ? String(text.dropFirst().dropLast()) : String(text)
    }

    /// The value of `Preference-Applied` in the reply to a write; nil when nothing was applied.
    package static func applied(minimal: Bool, quotesLargeInts: Bool) -> String? {
        if minimal { return "return=minimal" }
        return quotesLargeInts ? "int64=string" : nil
    }
}

extension Headers {
    /// Adds which preferences the reply to a read followed, on which it depends then.
    ///
    /// - `waitSeconds`: How long the request could wait; 0 when it could not.
    mutating func addApplied(quotesLargeInts: Bool, waitSeconds: Int = 0) {
        if waitSeconds > 0 {
            let wait = "wait=\(waitSeconds)"
            add(.preferenceApplied, quotesLargeInts ? "int64=string, " + wait : wait)
        } else if quotesLargeInts {
            add(.preferenceApplied, "int64=string" as StaticString)
        } else {
            return
        }
        add(.vary, "Prefer" as StaticString)
    }
}
