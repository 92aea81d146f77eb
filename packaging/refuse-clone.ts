/** Before `npm pack` in a clone: what would be packed depends on two hundred packages, and is not what is tested. */
console.error('Make the packages with "npm run package", then: npm pack ./build/package/contextd');
process.exitCode = 1;
