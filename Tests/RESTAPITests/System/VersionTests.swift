import Testing

@testable import HoldfastRESTAPI

/// The program's version, wherever it is written.
@Suite struct VersionTests {
    @Test(
        "README, the changelog's newest heading and the contract state the program's version",
        arguments: [
            ("README.md", "This is version ", 1), ("CHANGELOG.md", "## ", 1),
            ("openapi.yaml", "version: ", 2), ("openapi.yaml", "holdfast_info{version=\"", 1),
        ])
    func sameVersion(file: String, prefix: String, countMin: Int) throws {
        let stated = try OpenAPIContractTests.lines(of: OpenAPIContractTests.root + "/\(file)")
            .compactMap { line in version(in: line, after: prefix) }
        let checked = file == "CHANGELOG.md" ? Array(stated.prefix(1)) : stated
        #expect(checked.count >= countMin)
        let expected =
            file == "README.md"
            ? ServiceVersion.text.split(separator: ".").prefix(2).joined(separator: ".")
            : ServiceVersion.text
        #expect(checked.allSatisfy { $0 == expected }, "\(checked)")
    }

    /// The digits and points behind `prefix`, where at least two numbers stand there.
    private func version(in line: Substring, after prefix: String) -> String? {
        guard let start = line.firstRange(of: prefix)?.upperBound else { return nil }
        let text = line[start...].prefix { $0.isNumber || $0 == "." }
        let numbers = text.split(separator: ".")
        return numbers.count > 1 ? numbers.joined(separator: ".") : nil
    }
}
