/// How much of a column of texts the tests of a program look at: what a scan costs depends on little else.
package struct TextEffort: Equatable, Sendable {
    /// How many times their hashes are compared with one; the bytes of those that fit come on top.
    package var hashPassCount = 0
    /// How many times all bytes are searched at once.
    package var searchCount = 0
    /// How many times each text is tested by itself.
    package var testCount = 0

    /// Adds what a test of the form `form` looks at.
    mutating func add(_ form: ColumnKernel.Form) {
        switch form {
        case .fixed: break
        case .texts(let texts, _, _): hashPassCount += texts.count
        case .contains: searchCount += 1
        case .each, .numbers, .numberSet, .textsUpTo: testCount += 1
        }
    }
}
