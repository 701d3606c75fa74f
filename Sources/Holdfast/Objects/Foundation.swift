// Dates, data, UUIDs and URLs are types of properties: a program that imports the library names them.
@_exported import Foundation
