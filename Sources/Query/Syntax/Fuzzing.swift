/// Reads any bytes as a query's text and forgets the result: an entry for fuzzers, which look for
/// crashes and hangs.
package func fuzzParse(_ bytes: [UInt8]) {
    _ = try? Parser.parse(SourceText(String(decoding: bytes, as: UTF8.self)))
}
